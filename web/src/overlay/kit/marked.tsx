import { pieces } from '../work/visible.ts';

/** Foreign text in which nothing is unseen, and removed credentials can be seen as such. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) => {
        if (typeof piece === 'string') return piece;
        if ('redacted' in piece) {
          return (
            <mark key={i} class="redacted" title="A credential was removed here before anything was recorded.">
              redacted
            </mark>
          );
        }
        return (
          <span key={i} class="unseen-char" title={`Invisible character: ${piece.code}`}>
            {piece.unseen}
          </span>
        );
      })}
    </>
  );
}
