import { JsonTree } from '../activity/json_tree.tsx';
import { Marked } from '../kit/marked.tsx';
import { bytesWords } from '../kit/time.ts';

/** The member that says most of a call; it is shown as it would run. */
const TELLING = ['command', 'path', 'file_path', 'url', 'query', 'pattern'];
const SHOWN = 6;
/** More lines than this do not fit in the card. */
const MANY = 12;
/** What the office adds to arguments that it had to cut. */
const CUT = ['truncated', 'bytes'];

/** The name and the text of what says most. */
export function tellingOf(args: unknown): readonly [string, string] | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const name = TELLING.find((key) => typeof (args as Record<string, unknown>)[key] === 'string');
  return name === undefined ? undefined : [name, (args as Record<string, string>)[name]!];
}

/** How many bytes there were before the office cut them; null when all is here. */
function cutFrom(args: object): number | null {
  const { truncated, bytes } = args as { truncated?: unknown; bytes?: unknown };
  return truncated === true && typeof bytes === 'number' ? bytes : null;
}

/** What a tool would be called with, credentials removed. */
export function PermissionArgs({ args }: { args: unknown }) {
  if (args === null || args === undefined) return null;
  if (typeof args !== 'object' || Array.isArray(args)) return <JsonTree value={args} open />;
  const told = tellingOf(args);
  const cut = cutFrom(args);
  const rest = Object.entries(args).filter(([key]) => key !== told?.[0] && (cut === null || !CUT.includes(key)));
  const lines = told ? told[1].trimEnd().split('\n').length : 0;
  return (
    <>
      {told && (
        <pre class="output" dir="auto" tabIndex={0} aria-label={told[0]}>
          <Marked text={told[1]} />
        </pre>
      )}
      {(lines > MANY || cut !== null) && (
        <p class="small strong" role="note">
          {cut === null ? `${lines} lines: scroll to read them all.` : `Only the beginning of ${bytesWords(cut)} is shown. Read the rest in its terminal before you allow it.`}
        </p>
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
