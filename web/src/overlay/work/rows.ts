import { LIMIT_REVIEW_COLLAPSE } from '../../contracts/limits.gen.ts';
import { aligned } from './align.ts';
import type { DiffFile, Hunk } from './content.ts';
import { isAt, isGenerated, spotWords, type AgentFinding, type Comment, type Review, type Spot } from './review.ts';
import { wordMarks, type Mark } from './words.ts';

/** One line of a diff. `old` or `new` is null if the line is not on that side or its number is unknown. */
export interface Line {
  sign: ' ' | '+' | '-';
  old: number | null;
  new: number | null;
  text: string;
  marks: readonly Mark[];
}

/** A hunk and its file. */
export interface HunkOf {
  file: DiffFile;
  hunk: Hunk;
}

/**
 * One displayed row: a line, two lines side by side, collapsed lines, a gap between hunks, a file's name, a finding, a
 * comment, or the form for a comment.
 */
export type Row =
  | { is: 'line'; line: Line; of: HunkOf }
  | { is: 'pair'; left: Line | null; right: Line | null; of: HunkOf }
  | { is: 'fold'; id: string; count: number }
  | { is: 'jump'; to: number }
  | { is: 'file'; file: DiffFile; id: string; folded: boolean }
  | { is: 'finding'; finding: AgentFinding }
  | { is: 'comment'; comment: Comment }
  | { is: 'form'; spot: Spot };

/** How many unchanged lines stay visible around a change. */
const AROUND = 3;

/** Returns the lines of a hunk with numbers on both sides and the changed words marked. */
export function hunkLines(hunk: Hunk): readonly Line[] {
  return marked(numberedLines(hunk));
}

function numberedLines(hunk: Hunk): readonly Line[] {
  const known = hunk.old > 0 || hunk.new > 0;
  let before = hunk.old || 1;
  let after = hunk.new || 1;
  const number = (n: number, exists: boolean) => (known && exists ? n : null);
  return hunk.lines.map((raw): Line => {
    const sign = raw[0] as Line['sign'];
    const line = { sign, old: number(before, sign !== '+'), new: number(after, sign !== '-'), text: raw.slice(1), marks: [] };
    if (sign !== '+') before++;
    if (sign !== '-') after++;
    return line;
  });
}

function marked(lines: readonly Line[]): readonly Line[] {
  for (const [gone, came] of replaced(lines)) {
    const [left, right] = wordMarks(gone.text, came.text);
    gone.marks = left;
    came.marks = right;
  }
  return lines;
}

/** Yields the removed lines that were replaced, each with the added line that replaces it. */
function* replaced(lines: readonly Line[]): Generator<[Line, Line]> {
  for (let i = 0; i < lines.length; ) {
    const [gone, came] = changeAt(lines, i);
    for (const [left, right] of aligned(gone, came)) if (left && right) yield [left, right];
    i += Math.max(gone.length + came.length, 1);
  }
}

/** Returns the removed lines that begin at `at` and the added lines that follow them. */
function changeAt(lines: readonly Line[], at: number): [Line[], Line[]] {
  let mid = at;
  while (lines[mid]?.sign === '-') mid++;
  let end = mid;
  while (lines[end]?.sign === '+') end++;
  return [lines.slice(at, mid), lines.slice(mid, end)];
}

/**
 * Returns the rows of a diff, side by side if `split`. Unchanged lines far from a change are folded; in a review, so
 * are files that are generated or large and have no findings. `opened` contains the ids of the folds and files that
 * the user has folded or unfolded.
 */
export function diffRows(files: readonly DiffFile[], opened: ReadonlySet<string>, split: boolean, review?: Pick<Review, 'findings'>): readonly Row[] {
  return files.flatMap((file, f) => {
    const id = String(f);
    const found = review?.findings.filter((finding) => isIn(file, finding)) ?? [];
    const folded = review !== undefined && (isLong(file) && found.length === 0) !== opened.has(id);
    const rows: Row[] = files.length > 1 || folded ? [{ is: 'file', file, id, folded }] : [];
    if (folded) return rows;
    file.hunks.forEach((hunk, h) => {
      if (h > 0 || hunk.new > 1) rows.push({ is: 'jump', to: hunk.new });
      rows.push(...foldedRows({ file, hunk }, `${f}.${h}`, opened, split, found));
    });
    return rows;
  });
}

const isLong = (file: DiffFile): boolean => isGenerated(file.path) || file.added + file.removed > LIMIT_REVIEW_COLLAPSE;

/** Reports whether a line is in a file. A removed line has the file's old path; any other line has the new path. */
const isIn = ({ path, from }: DiffFile, spot: Spot): boolean => spot.path === ((spot.removed && from) || path);

/** Returns the findings about lines that a diff does not show. */
export function unplacedFindings(
  files: readonly DiffFile[],
  findings: readonly AgentFinding[],
): readonly AgentFinding[] {
  const lines = new Set(files.flatMap((file) => (findings.some((f) => isIn(file, f)) ? file.hunks.flatMap((hunk) => linesOf(hunk).flatMap((line) => spotOf(line, file).map(spotWords))) : [])));
  return findings.filter((f) => !lines.has(spotWords(f)));
}

/**
 * Returns the rows, with the findings, the comments and the form for a new comment inserted below the lines they
 * belong to.
 */
export function commentedRows(rows: readonly Row[], findings: readonly AgentFinding[], comments: readonly Comment[], writing: Spot | null): readonly Row[] {
  if (findings.length + comments.length === 0 && !writing) return rows;
  return rows.flatMap((row): readonly Row[] => {
    const spots = spotsOf(row);
    const here = (what: Spot) => spots.some((spot) => isAt(spot, what));
    const found = findings.filter(here).map((finding): Row => ({ is: 'finding', finding }));
    const said = comments.filter(here).map((comment): Row => ({ is: 'comment', comment }));
    const form = writing && here(writing) ? [{ is: 'form', spot: writing } as const] : [];
    return [row, ...found, ...said, ...form];
  });
}

/** Returns the lines of a row that can be commented on; in a pair, the line of the new version comes first. */
export function spotsOf(row: Row): readonly Spot[] {
  if (row.is === 'line') return spotOf(row.line, row.of.file);
  if (row.is !== 'pair') return [];
  const right = row.right ? spotOf(row.right, row.of.file) : [];
  return row.left && row.left.sign === '-' ? [...right, ...spotOf(row.left, row.of.file)] : right;
}

function spotOf(line: Line, file: DiffFile): readonly Spot[] {
  const removed = line.sign === '-';
  const number = removed ? line.old : line.new;
  return number === null ? [] : [{ path: (removed && file.from) || file.path, line: number, removed }];
}

/** Returns the first row of a file: the row after its header, or the header if no line is shown. */
export function firstRow(rows: readonly Row[], id: string): number {
  const header = rows.findIndex((row) => row.is === 'file' && row.id === id);
  const next = rows[header + 1];
  return next && next.is !== 'file' ? header + 1 : Math.max(header, 0);
}

/** Caches the lines of each hunk; they do not depend on the layout. */
const made = new WeakMap<Hunk, readonly Line[]>();
const done = new WeakSet<Hunk>();

/** Returns the lines of a hunk; their words are not marked yet. */
export function linesOf(hunk: Hunk): readonly Line[] {
  let lines = made.get(hunk);
  if (!lines) made.set(hunk, (lines = numberedLines(hunk)));
  return lines;
}

/** Marks the changed words of a hunk once, shortly before it is drawn, because marking is slow for a large patch. */
export function markWords(hunk: Hunk): void {
  if (done.has(hunk)) return;
  done.add(hunk);
  marked(linesOf(hunk));
}

function foldedRows(of: HunkOf, id: string, opened: ReadonlySet<string>, split: boolean, found: readonly Spot[]): Row[] {
  const lines = linesOf(of.hunk);
  const near = new Uint8Array(lines.length);
  lines.forEach((line, i) => {
    if (line.sign !== ' ' || found.some((f) => spotOf(line, of.file).some((spot) => isAt(spot, f)))) near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const rows: Row[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i + 1;
    while (end < lines.length && near[end] === near[i]) end++;
    const part = lines.slice(i, end);
    const fold = `${id}.${i}`;
    if (near[i] || part.length <= 2 || opened.has(fold)) rows.push(...(split ? pairs(part, of) : part.map((line): Row => ({ is: 'line', line, of }))));
    else rows.push({ is: 'fold', id: fold, count: part.length });
    i = end;
  }
  return rows;
}

function pairs(lines: readonly Line[], of: HunkOf): Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < lines.length; ) {
    if (lines[i]!.sign === ' ') {
      rows.push({ is: 'pair', left: lines[i]!, right: lines[i]!, of });
      i++;
      continue;
    }
    const [gone, came] = changeAt(lines, i);
    rows.push(...aligned(gone, came).map(([left, right]): Row => ({ is: 'pair', left, right, of })));
    i += gone.length + came.length;
  }
  return rows;
}

/** Returns the indices of the rows where changes begin, for stepping through the changes with the keyboard. */
export function changeStarts(rows: readonly Row[]): readonly number[] {
  return rows.flatMap((row, i) => (isChange(row) && (i === 0 || !isChange(rows[i - 1]!)) ? [i] : []));
}

function isChange(row: Row): boolean {
  if (row.is === 'line') return row.line.sign !== ' ';
  return row.is === 'pair' && (row.left?.sign !== ' ' || row.right?.sign !== ' ');
}

/** Returns the searchable text of a row; empty for folds, gaps and forms. */
export function rowText(row: Row): string {
  if (row.is === 'line') return row.line.text;
  if (row.is === 'pair') return `${row.left?.text ?? ''}\n${row.right?.text ?? ''}`;
  if (row.is === 'finding') return row.finding.text;
  if (row.is === 'comment') return row.comment.text;
  return row.is === 'file' ? row.file.path : '';
}

/** Returns a diff in unified format. */
export function diffText(files: readonly DiffFile[]): string {
  return files
    .map((file) => {
      const head = file.change === 'create' ? '--- /dev/null' : `--- ${file.from ?? file.path}`;
      const hunks = file.hunks.map((h) => {
        const count = (sign: string) => h.lines.filter((line) => !line.startsWith(sign)).length;
        return `@@ -${h.old},${count('+')} +${h.new},${count('-')} @@\n${h.lines.map((line) => `${line}\n`).join('')}`;
      });
      return `${head}\n+++ ${file.change === 'delete' ? '/dev/null' : file.path}\n${hunks.join('')}`;
    })
    .join('');
}
