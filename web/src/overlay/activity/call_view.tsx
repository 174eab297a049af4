import { bytesWords } from '../kit/time.ts';
import { Words } from '../kit/words.tsx';
import { isObject } from '../work/content.ts';
import { CallWork, type Call } from '../work/open.tsx';
import { useWhole, wholePath, type Result } from './whole_result.ts';

const PATHS_SHOWN = 12;

/** A tool call in the viewer, with what else its result says, and all of it where it was cut. */
export function CallView({ call, took }: { call: Call; took: number | undefined }) {
  const told = call.result;
  const path = wholePath(told);
  const { state, read } = useWhole(path);
  const now = state.value;
  const result = typeof now === 'object' && 'result' in now ? now.result : told;
  const cut = result === told && (told?.['truncated'] === true || path !== null);
  return (
    <div class="result">
      <CallWork call={{ ...call, result }} took={took} />
      {result && <Facts result={result} />}
      {cut && path === null && <p class="soft">The rest was not kept.</p>}
      {cut && path !== null && (
        <button type="button" class="link" disabled={now === 'busy'} onClick={() => void read()}>
          {now === 'busy' ? 'Reading…' : 'Show the whole result'}
        </button>
      )}
      {typeof now === 'object' && 'error' in now && (
        <p class="refusal" role="alert">
          {now.error}
        </p>
      )}
    </div>
  );
}

/** How much, from where, and which files a command names. */
function Facts({ result }: { result: Result }) {
  const { bytes, url, summary, raw } = result;
  const files = Array.isArray(result['mentionedPaths']) ? result['mentionedPaths'].filter(isObject) : [];
  return (
    <>
      {(typeof bytes === 'number' || typeof url === 'string' || (typeof summary === 'string' && raw !== undefined)) && (
        <p class="facts">
          {typeof bytes === 'number' && <span class="fact soft">{bytesWords(bytes)}</span>}
          {typeof url === 'string' && <Words class="fact">{url}</Words>}
          {typeof summary === 'string' && raw !== undefined && <Words class="fact">{summary}</Words>}
        </p>
      )}
      {files.length > 0 && (
        <ul class="mentioned" aria-label="Files mentioned by the command">
          {files.slice(0, PATHS_SHOWN).map((file, i) => (
            <li key={i} class="tag" title={nameOf(file, 'path')}>
              <Words>{nameOf(file, 'viewerPath', 'path')}</Words>
            </li>
          ))}
          {files.length > PATHS_SHOWN && <li class="soft">and {files.length - PATHS_SHOWN} more</li>}
        </ul>
      )}
    </>
  );
}

function nameOf(file: Result, ...members: string[]): string {
  return members.map((name) => file[name]).find((found) => typeof found === 'string') ?? '';
}
