import { JsonTree } from '../work/json_tree.tsx';
import { isObject } from '../work/content.ts';
import { fitsTree } from '../work/limits.ts';
import { Loaded } from '../work/open.tsx';
import { Marked } from '../kit/marked.tsx';
import { bytesWords } from '../kit/time.ts';

const SHOWN = 6;
/** A call with more lines than this is shown with a note that asks the user to scroll. */
const MANY = 16;

interface Props {
  tool: string;
  args: unknown;
  place: string | undefined;
  /** Whether the call can be allowed on this page. */
  allowable: boolean;
  onWhole: () => void;
}

/** Shows a tool call and all its arguments; for truncated arguments, only the beginning and a note. */
export function PermissionWork({ tool, args, place, allowable, onWhole }: Props) {
  const cut = isObject(args) && args['truncated'] === true && typeof args['bytes'] === 'number' ? args['bytes'] : null;
  return (
    <>
      {cut !== null && (
        <p class="small strong" role="note">
          Only the beginning is shown ({bytesWords(cut)} in total). {!allowable && 'The call can be allowed only where the agent runs.'}
        </p>
      )}
      <Loaded
        draw={({ CallWork, callLines, drawnArgs }) => (
          <>
            <CallWork call={{ tool, args }} name={within(place, args)} onWhole={onWhole} />
            {cut === null && callLines(tool, args) > MANY && (
              <p class="small strong" role="note">
                {callLines(tool, args)} lines: scroll to read them all.
              </p>
            )}
            {isObject(args) && <Others args={args} drawn={drawnArgs(tool, args)} />}
          </>
        )}
      />
    </>
  );
}

/**
 * Returns the call's file path relative to the agent's folder, or undefined if the call has no path or the file is
 * outside that folder.
 */
function within(place: string | undefined, args: unknown): string | undefined {
  const path = isObject(args) ? args['path'] : undefined;
  return place && typeof path === 'string' && path.startsWith(`${place}/`) ? path.slice(place.length + 1) : undefined;
}

/** Shows the arguments that the viewer leaves out, so that no argument is allowed unseen. */
function Others({ args, drawn }: { args: Readonly<Record<string, unknown>>; drawn: readonly string[] }) {
  const others = Object.entries(args).filter(([name]) => !drawn.includes(name));
  if (others.length === 0) return null;
  return (
    <>
      <dl class="args">
        {others.slice(0, SHOWN).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Other value={value} />
            </dd>
          </div>
        ))}
      </dl>
      {others.length > SHOWN && <Other name="more" value={Object.fromEntries(others.slice(SHOWN))} />}
    </>
  );
}

/** Shows one value in full: as a tree if the tree does not truncate it, otherwise as text. */
function Other({ name, value }: { name?: string; value: unknown }) {
  if (typeof value === 'string') return <Marked text={value} />;
  if (!fitsTree(value)) return <Marked text={JSON.stringify(value, null, 1)} />;
  return <JsonTree value={value} deep {...(name !== undefined && { name })} />;
}
