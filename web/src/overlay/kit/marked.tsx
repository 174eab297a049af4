import { plain } from '../../world/plain.ts';

/** What the server writes where a credential stood. */
const MARK = '[redacted]';

/** Foreign text in which removed credentials can be seen as such. */
export function Marked({ text }: { text: string }) {
  const parts = text.split(MARK);
  return (
    <>
      {parts.map((part, i) => (
        <>
          {i > 0 && (
            <mark class="redacted" title="A credential stood here. It was removed before anything was recorded.">
              redacted
            </mark>
          )}
          {plain(part)}
        </>
      ))}
    </>
  );
}
