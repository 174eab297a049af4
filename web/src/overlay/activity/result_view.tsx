import { FileText } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../kit/icon.tsx';
import { Marked } from '../kit/marked.tsx';
import { bytesWords } from '../kit/time.ts';
import { Words } from '../kit/words.tsx';
import { JsonTree } from './json_tree.tsx';
import { Output } from './output.tsx';
import { isObject, useWhole, wholePath, type Result } from './whole_result.ts';

const PATHS_SHOWN = 12;
/** The code is shown already. */
const EXIT = /^exit(ed)?( with)?( code| status)? \d+\.?$/i;
/** Members that are drawn here; whatever else there is stands in the JSON. */
const DRAWN = new Set(['ok', 'file', 'area', 'text', 'bytes', 'truncated', 'exitCode', 'stdout', 'stderr', 'mentionedPaths', 'error', 'url', 'summary', 'raw', 'ref']);

/** What came of a tool call, as each kind of tool tells it (seed 001), and all of it where it was cut. */
export function ResultView({ result: told }: { result: Result }) {
  const path = wholePath(told);
  const { state, read } = useWhole(path);
  const now = state.value;
  const result = typeof now === 'object' && 'result' in now ? now.result : told;
  const text = (name: string) => (typeof result[name] === 'string' && result[name] !== '' ? result[name] : undefined);
  const error = text('error');
  const cut = result === told && (told['truncated'] === true || path !== null);
  return (
    <div class="result">
      <Facts result={result} />
      {error !== undefined && !EXIT.test(error) && (
        <p class="result-error">
          <Words>
            <Marked text={error} />
          </Words>
        </p>
      )}
      {(['summary', 'text', 'stdout', 'stderr'] as const).map((name) => text(name) !== undefined && <Output key={name} name={name} text={text(name)!} />)}
      {result['raw'] !== undefined && <Raw value={result['raw']} />}
      <Mentioned of={result['mentionedPaths']} />
      {Object.keys(result).some((name) => !DRAWN.has(name)) && <JsonTree name="more" value={Object.fromEntries(Object.entries(result).filter(([name]) => !DRAWN.has(name)))} />}
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

/** Where, how much, and how it ended. */
function Facts({ result }: { result: Result }) {
  const facts: ComponentChildren[] = [];
  const file = isObject(result['file']) ? result['file'] : undefined;
  if (file) {
    const area = linesOf(result['area']) || linesOf(file['area']);
    facts.push(
      <span class="fact" title={nameOf(file, 'path')}>
        <Icon of={FileText} size={13} />
        <Words>
          {nameOf(file, 'viewerPath', 'path')}
          {area}
        </Words>
      </span>,
    );
  }
  if (typeof result['bytes'] === 'number') facts.push(<span class="fact soft">{bytesWords(result['bytes'])}</span>);
  if (typeof result['exitCode'] === 'number') {
    const code = result['exitCode'];
    facts.push(<span class={code > 0 ? 'tag bad' : 'tag'}>{code < 0 ? 'exit code unknown' : `exit code ${code}`}</span>);
  }
  if (typeof result['url'] === 'string') facts.push(<Words class="fact">{result['url']}</Words>);
  return facts.length > 0 ? <p class="facts">{facts}</p> : null;
}

function nameOf(file: Result, ...members: string[]): string {
  return members.map((name) => file[name]).find((found) => typeof found === 'string') ?? '';
}

function linesOf(area: unknown): string {
  if (!isObject(area) || !Number(area['startLine'])) return '';
  return `:L${Number(area['startLine'])}–L${Number(area['endLine'])}`;
}

function Mentioned({ of }: { of: unknown }) {
  const paths = Array.isArray(of) ? of.filter(isObject) : [];
  if (paths.length === 0) return null;
  return (
    <ul class="mentioned" aria-label="Files that the command names">
      {paths.slice(0, PATHS_SHOWN).map((file, i) => (
        <li key={i} class="tag" title={nameOf(file, 'path')}>
          <Words>{nameOf(file, 'viewerPath', 'path')}</Words>
        </li>
      ))}
      {paths.length > PATHS_SHOWN && <li class="soft">and {paths.length - PATHS_SHOWN} more</li>}
    </ul>
  );
}

function Raw({ value }: { value: unknown }) {
  return typeof value === 'string' ? <Output name="raw" text={value} /> : <JsonTree name="raw" value={value} open />;
}
