import { readDoor } from '../kit/door.ts';
import { isObject, type Content } from './content.ts';

export interface FileLink {
  path: string;
  line: number;
}

/** What a link such as `./src/main.go#L12` points to. */
export function fileLink(link: string): FileLink {
  const [path = '', line = ''] = link.split('#L');
  return { path: decodeURIComponent(path.replace(/^\.\//, '')), line: Number(line) || 0 };
}

/** Reads a file of the folder that the office was started in. */
export async function readFile({ path, line }: FileLink): Promise<Content> {
  const said = await readDoor(`/v1/files/${path.split('/').map(encodeURIComponent).join('/')}`);
  if (!isObject(said) || typeof said['text'] !== 'string') throw new Error('The office did not give the text of this file.');
  return { kind: 'file', path, start: 1, text: said['text'], ...(line > 0 && { area: [line, line] as const }) };
}
