import { readJson } from '../kit/api.ts';
import { isObject, type Content } from './content.ts';

/** A file to open, at these lines. */
export interface FileLink {
  /** The path as given: relative to the office's folder in a document, or as the agent wrote it. */
  path: string;
  /** The displayed name, if not the path. */
  name?: string;
  /** The agent that named it. */
  agent?: string;
  area?: readonly [number, number];
}

/** Parses a link such as `./src/main.go#L12`. */
export function fileLink(link: string): FileLink {
  const [path = '', line = ''] = link.split('#L');
  return { path: decodeURIComponent(path.replace(/^\.\//, '')), ...areaOf(Number(line), Number(line)) };
}

/** Returns the file in a tool result's FileMeta, or null. */
export function fileOfResult(file: unknown, agent: string | undefined): FileLink | null {
  if (!isObject(file) || typeof file['path'] !== 'string' || file['path'] === '') return null;
  const area = isObject(file['area']) ? file['area'] : {};
  const name = file['viewerPath'];
  return { path: file['path'], ...(typeof name === 'string' && name !== '' && { name }), ...(agent !== undefined && { agent }), ...areaOf(Number(area['startLine']), Number(area['endLine'])) };
}

const areaOf = (first: number, last: number): { area?: readonly [number, number] } => (first > 0 && last >= first ? { area: [first, last] } : {});

/** Reads a file in one of the office's workspaces. */
export async function readFile({ path, name, agent, area }: FileLink): Promise<Content> {
  const door = agent === undefined ? `/${path.split('/').map(encodeURIComponent).join('/')}` : `?${new URLSearchParams({ agent, path })}`;
  const said = await readJson(`/v1/files${door}`);
  if (!isObject(said) || typeof said['text'] !== 'string') throw new Error('The office could not send this file.');
  return { kind: 'file', path: name ?? path, start: 1, text: said['text'], ...(area && { area }) };
}
