import { pieces } from '../work/visible.ts';

/** Foreign text in which nothing is unseen, and removed credentials can be seen as such. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) => {
        if (typeof piece === 'string') return piece;
        if ('redacted' in piece) {
          return (
            <mark key={i} class="redacted" title="A secret was removed here before recording.">
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
