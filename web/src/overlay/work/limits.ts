import type { Content } from './content.ts';
import { textLines } from './diff.ts';

/** How much is rendered before the person asks for the rest. */
export interface Room {
  rows: number;
  /** Per line. */
  chars: number;
}

export const CARD_ROOM: Room = { rows: 1000, chars: 8000 };
export const FULL_ROOM: Room = { rows: 5000, chars: 64_000 };
/** How much of a text is highlighted or rendered as Markdown; the rest is plain. */
export const RICH_CHARS = 64 * 1024;
/** How many members of an object or list, and characters of a string, a tree shows. */
export const TREE_MEMBERS = 100;
export const TREE_CHARS = 4000;

/** Reports whether all of the content is displayed. Content displayed only in part cannot be allowed. */
export function fits(content: Content, room: Room): boolean {
  switch (content.kind) {
    case 'diff':
      return fitsLines(content.files.flatMap((f) => f.hunks.flatMap((h) => h.lines)), room);
    case 'terminal':
      return [content.command ?? '', ...content.out.map((o) => o.text)].every((text) => fitsLines(textLines(text), room));
    case 'json':
      return fitsTree(content.value);
    default:
      return fitsLines(textLines(content.text), room);
  }
}

/** Counts the lines of content. */
export function lineCount(content: Content): number {
  if (content.kind === 'json') return 0;
  if (content.kind === 'diff') return content.files.reduce((sum, f) => sum + f.hunks.reduce((lines, h) => lines + h.lines.length, 0), 0);
  if (content.kind === 'terminal') return [content.command ?? '', ...content.out.map((o) => o.text)].reduce((sum, text) => sum + textLines(text).length, 0);
  return textLines(content.text).length;
}

function fitsLines(lines: readonly string[], room: Room): boolean {
  return lines.length <= room.rows && lines.every((line) => line.length <= room.chars);
}

/** Reports whether a tree shows all of a value. */
export function fitsTree(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= TREE_CHARS;
  if (typeof value !== 'object' || value === null) return true;
  const entries = Object.entries(value);
  return entries.length <= TREE_MEMBERS && entries.every(([, kid]) => fitsTree(kid));
}
