import { JsonTree } from '../activity/json_tree.tsx';
import { Marked } from '../kit/marked.tsx';

/** The member that says most of a call; it is shown as it would run. */
const TELLING = ['command', 'path', 'file_path', 'url', 'query', 'pattern'];
const SHOWN = 6;

/** The name and the text of what says most. */
export function tellingOf(args: unknown): readonly [string, string] | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const name = TELLING.find((key) => typeof (args as Record<string, unknown>)[key] === 'string');
  return name === undefined ? undefined : [name, (args as Record<string, string>)[name]!];
}

/** What a tool would be called with, credentials removed. */
export function PermissionArgs({ args }: { args: unknown }) {
  if (args === null || args === undefined) return null;
  if (typeof args !== 'object' || Array.isArray(args)) return <JsonTree value={args} open />;
  const told = tellingOf(args);
  const rest = Object.entries(args).filter(([key]) => key !== told?.[0]);
  return (
    <>
      {told && (
        <pre class="output" dir="auto" tabIndex={0} aria-label={told[0]}>
          <Marked text={told[1]} />
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
