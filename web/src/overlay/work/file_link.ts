import { readJson } from '../kit/api.ts';
import { isObject, type Content } from './content.ts';

/** A file to open, and the lines to show. */
export interface FileLink {
  /** The path as given: relative to the office's folder, or as the agent wrote it if `agent` is set. */
  path: string;
  /** The displayed name, if it is not the path. */
  name?: string;
  /** The agent whose tool call named the file. */
  agent?: string;
  area?: readonly [number, number];
}

/** Parses a link such as `./src/main.go#L12`. */
export function fileLink(link: string): FileLink {
  const [path = '', line = ''] = link.split('#L');
  return { path: decodeURIComponent(path.replace(/^\.\//, '')), ...areaOf(Number(line), Number(line)) };
}

/** Returns a file that a tool result mentions, given its entry in the result, or null if the entry has no path. */
export function fileOfResult(file: unknown, agent: string | undefined): FileLink | null {
  if (!isObject(file) || typeof file['path'] !== 'string' || file['path'] === '') return null;
  const area = isObject(file['area']) ? file['area'] : {};
  const name = file['viewerPath'];
  return { path: file['path'], ...(typeof name === 'string' && name !== '' && { name }), ...(agent !== undefined && { agent }), ...areaOf(Number(area['startLine']), Number(area['endLine'])) };
}

const areaOf = (first: number, last: number): { area?: readonly [number, number] } => (first > 0 && last >= first ? { area: [first, last] } : {});

/** Fetches a file from one of the office's workspaces; throws if the office does not send it. */
export async function readFile({ path, name, agent, area }: FileLink): Promise<Content> {
  const door = agent === undefined ? `/${path.split('/').map(encodeURIComponent).join('/')}` : `?${new URLSearchParams({ agent, path })}`;
  const said = await readJson(`/v1/files${door}`);
  if (!isObject(said) || typeof said['text'] !== 'string') throw new Error('The office could not send this file.');
  return { kind: 'file', path: name ?? path, start: 1, text: said['text'], ...(area && { area }) };
}
