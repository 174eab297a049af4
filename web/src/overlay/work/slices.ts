import { RICH_CHARS } from './limits.ts';

const SLICE_CHARS = 8 * 1024;
/** A single line longer than this is not prose, and is not rendered as Markdown. */
const LINE_CHARS = 2 * 1024;
/** A block may have at most this many emphasis markers, because the parser compares every pair of them. */
const BLOCK_MARKS = 400;

/**
 * Cuts Markdown into pieces that can be rendered one at a time. If possible, it cuts at empty lines outside code
 * fences, so that blocks stay whole. `rest` is the text after the piece that reaches RICH_CHARS.
 */
export function markdownSlices(text: string): { rich: readonly string[]; rest: string } {
  const rich: string[] = [];
  let at = 0;
  while (at < text.length && at < RICH_CHARS) {
    const end = cutAfter(text, at, Math.min(at + SLICE_CHARS, text.length));
    rich.push(text.slice(at, end));
    at = end;
  }
  return { rich, rest: text.slice(at) };
}

function cutAfter(text: string, from: number, limit: number): number {
  if (limit >= text.length) return text.length;
  let best = -1;
  let fenced = false;
  for (let line = from; line < limit; ) {
    const end = text.indexOf('\n', line);
    if (end === -1 || end >= limit) break;
    const content = text.slice(line, end).trim();
    if (/^(```|~~~)/.test(content)) fenced = !fenced;
    if (content === '' && !fenced) best = end + 1;
    line = end + 1;
  }
  return best > from ? best : limit;
}

/** Reports whether a piece of Markdown would take too long to parse; such a piece is shown as plain text. */
export function isTooComplex(slice: string): boolean {
  if (slice.length > LINE_CHARS && !slice.trim().includes('\n')) return true;
  return slice.split(/\n[^\S\n]*\n/).some((block) => (block.match(/\*+|_+|~+/g)?.length ?? 0) > BLOCK_MARKS);
}
