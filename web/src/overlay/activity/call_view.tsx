import { useSignal } from '@preact/signals';
import { bytesWords } from '../kit/time.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { isObject } from '../work/content.ts';
import { fileOfResult, type FileLink } from '../work/file_link.ts';
import { CallWork, Loaded, type Call } from '../work/open.tsx';
import { useWhole, wholePath, type Result } from './whole_result.ts';
import * as say from '../../contracts/words.gen.ts';

const PATHS_SHOWN = 12;

/**
 * Shows a tool call in the viewer with details of its result, and the full result on request. `agent` is the id of
 * the agent that made the call.
 */
export function CallView({ call, took, agent }: { call: Call; took: number | undefined; agent?: string | undefined }) {
  const recorded = call.result;
  const path = wholePath(recorded);
  const { state, read } = useWhole(path);
  const now = state.value;
  const result = typeof now === 'object' && 'result' in now ? now.result : recorded;
  const cut = result === recorded && (recorded?.['truncated'] === true || path !== null);
  return (
    <div class="result">
      <CallWork call={{ ...call, result }} took={took} />
      {result && <Facts result={result} agent={agent} />}
      {cut && path === null && <p class="soft">{say.restNotKept}</p>}
      {cut && path !== null && (
        <button type="button" class="link" disabled={now === 'busy'} onClick={() => void read()}>
          {now === 'busy' ? 'Loading…' : 'Show the whole result'}
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

/** Shows the size, URL, summary and files of a result; an operator can open the files. */
function Facts({ result, agent }: { result: Result; agent: string | undefined }) {
  const { store } = useOffice();
  const opened = useSignal<FileLink | null>(null);
  const { bytes, url, summary, raw } = result;
  const files = Array.isArray(result['mentionedPaths']) ? result['mentionedPaths'].filter(isObject) : [];
  const link = (file: unknown): FileLink | null => (store.access.value === 'operator' ? fileOfResult(file, agent) : null);
  const own = link(result['file']);
  return (
    <>
      {(own || typeof bytes === 'number' || typeof url === 'string' || (typeof summary === 'string' && raw !== undefined)) && (
        <p class="facts">
          {typeof bytes === 'number' && <span class="fact soft">{bytesWords(bytes)}</span>}
          {typeof url === 'string' && <Words class="fact">{url}</Words>}
          {typeof summary === 'string' && raw !== undefined && <Words class="fact">{summary}</Words>}
          {own && (
            <button type="button" class="link" onClick={() => (opened.value = own)}>
              Open file
            </button>
          )}
        </p>
      )}
      {files.length > 0 && (
        <ul class="mentioned" aria-label="Files mentioned by the command">
          {files.slice(0, PATHS_SHOWN).map((file, i) => (
            <Mentioned key={i} file={file} link={link(file)} onOpen={(found) => (opened.value = found)} />
          ))}
          {files.length > PATHS_SHOWN && <li class="soft">and {files.length - PATHS_SHOWN} more</li>}
        </ul>
      )}
      {opened.value && <Loaded key={opened.value} draw={({ OpenFile }) => <OpenFile file={opened.value!} onClose={() => (opened.value = null)} />} />}
    </>
  );
}

function Mentioned({ file, link, onOpen }: { file: Result; link: FileLink | null; onOpen: (link: FileLink) => void }) {
  const words = <Words>{nameOf(file, 'viewerPath', 'path')}</Words>;
  return (
    <li class="tag" title={nameOf(file, 'path')}>
      {link ? (
        <button type="button" class="link" onClick={() => onOpen(link)}>
          {words}
        </button>
      ) : (
        words
      )}
    </li>
  );
}

function nameOf(file: Result, ...members: string[]): string {
  return members.map((name) => file[name]).find((found) => typeof found === 'string') ?? '';
}
