import { pieces } from '../work/visible.ts';

/** Shows untrusted text with control characters made visible and redacted secrets marked. */
export function Marked({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) => {
        if (typeof piece === 'string') return piece;
        if ('redacted' in piece) {
          return (
            <mark key={i} class="redacted" title="A secret was removed here before this was recorded.">
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
