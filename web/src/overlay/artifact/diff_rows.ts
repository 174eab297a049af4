import type { ChangeObject } from 'diff';

export interface DiffRow {
  mark: '+' | '-' | ' ';
  before: number | null;
  after: number | null;
  text: string;
}
/** Unchanged lines that nobody needs to see, folded into one. */
export interface DiffFold {
  folded: readonly DiffRow[];
}

const AROUND = 3;

/** A line diff as rows with both line numbers. */
export function diffRows(changes: readonly ChangeObject<string>[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 1;
  let after = 1;
  for (const change of changes) {
    const lines = change.value.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const text of lines) {
      if (change.added) rows.push({ mark: '+', before: null, after: after++, text });
      else if (change.removed) rows.push({ mark: '-', before: before++, after: null, text });
      else rows.push({ mark: ' ', before: before++, after: after++, text });
    }
  }
  return rows;
}

/** Rows with long unchanged stretches folded. */
export function foldRows(rows: readonly DiffRow[]): readonly (DiffRow | DiffFold)[] {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, i) => {
    if (row.mark !== ' ') near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const out: (DiffRow | DiffFold)[] = [];
  for (let i = 0; i < rows.length; ) {
    if (near[i]) {
      out.push(rows[i++]!);
      continue;
    }
    let end = i;
    while (end < rows.length && !near[end]) end++;
    const stretch = rows.slice(i, end);
    if (stretch.length <= 2) out.push(...stretch);
    else out.push({ folded: stretch });
    i = end;
  }
  return out;
}
