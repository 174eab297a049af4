import type { Content } from './content.ts';
import { textLines } from './diff.ts';

/** How much is rendered before the user asks for the rest. */
export interface RenderLimits {
  rows: number;
  /** The maximum number of characters per line. */
  chars: number;
}

export const CARD_LIMITS: RenderLimits = { rows: 1000, chars: 8000 };
export const FULL_LIMITS: RenderLimits = { rows: 5000, chars: 64_000 };
/** The maximum number of characters that are highlighted or rendered as Markdown. */
export const RICH_CHARS = 64 * 1024;
/** A tree shows at most this many members of an object or list. */
export const TREE_MEMBERS = 100;
/** A tree shows at most this many characters of a string. */
export const TREE_CHARS = 4000;

/**
 * Reports whether all of the content is displayed before the user asks for more. A call that is only partly displayed
 * cannot be allowed until it has been opened at full size.
 */
export function fits(content: Content, limits: RenderLimits): boolean {
  switch (content.kind) {
    case 'diff':
      return fitsLines(content.files.flatMap((f) => f.hunks.flatMap((h) => h.lines)), limits);
    case 'terminal':
      return [content.command ?? '', ...content.out.map((o) => o.text)].every((text) => fitsLines(textLines(text), limits));
    case 'json':
      return fitsTree(content.value);
    default:
      return fitsLines(textLines(content.text), limits);
  }
}

/** Counts the lines of content; 0 for JSON. */
export function lineCount(content: Content): number {
  if (content.kind === 'json') return 0;
  if (content.kind === 'diff') return content.files.reduce((sum, f) => sum + f.hunks.reduce((lines, h) => lines + h.lines.length, 0), 0);
  if (content.kind === 'terminal') return [content.command ?? '', ...content.out.map((o) => o.text)].reduce((sum, text) => sum + textLines(text).length, 0);
  return textLines(content.text).length;
}

function fitsLines(lines: readonly string[], limits: RenderLimits): boolean {
  return lines.length <= limits.rows && lines.every((line) => line.length <= limits.chars);
}

/** Reports whether a tree can show all of a value. */
export function fitsTree(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= TREE_CHARS;
  if (typeof value !== 'object' || value === null) return true;
  const entries = Object.entries(value);
  return entries.length <= TREE_MEMBERS && entries.every(([, kid]) => fitsTree(kid));
}
