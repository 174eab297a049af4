import { JsonTree } from '../activity/json_tree.tsx';
import { Marked } from '../kit/marked.tsx';

/** The member that says most of a call; it is shown as it would run. */
const TELLING = ['command', 'path', 'file_path', 'url', 'query', 'pattern'];
const SHOWN = 6;

/** What a tool would be called with, credentials removed. */
export function PermissionArgs({ args }: { args: unknown }) {
  if (args === null || args === undefined) return null;
  if (typeof args !== 'object' || Array.isArray(args)) return <JsonTree value={args} open />;
  const all = Object.entries(args);
  const told = TELLING.map((name) => all.find(([key]) => key === name)).find((entry) => typeof entry?.[1] === 'string');
  const rest = all.filter((entry) => entry !== told);
  return (
    <>
      {told && (
        <pre class="output" dir="auto" tabIndex={0} aria-label={told[0]}>
          <Marked text={told[1] as string} />
        </pre>
      )}
      {rest.length > 0 && (
        <dl class="args">
          {rest.slice(0, SHOWN).map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{typeof value === 'string' ? <Marked text={value} /> : <JsonTree value={value} />}</dd>
            </div>
          ))}
        </dl>
      )}
      {rest.length > SHOWN && <JsonTree name="everything" value={args} />}
    </>
  );
}
