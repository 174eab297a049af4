/**
 * Returns the shortest edit from one list of lines to another, as lines with signs (Myers, 1986). Within a change,
 * removals come before additions. Returns null if the edit needs more than `most` additions and removals.
 */
export function shortestEdit(a: readonly string[], b: readonly string[], most: number): readonly string[] | null {
  const ends: Int32Array[] = []; // how far each diagonal reaches after each step
  const limit = Math.min(most, a.length + b.length);
  let reach = new Int32Array(3);
  for (let d = 0; d <= limit; d++) {
    const next = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      let x = startOf(reach, d, k);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next[k + d + 1] = x;
      if (x >= a.length && x - k >= b.length) return signed(a, b, ends, d);
    }
    ends.push(next);
    reach = next;
  }
  return null;
}

/**
 * Returns where step d begins on diagonal k: one down from the diagonal above, or one right from the diagonal below.
 */
function startOf(reach: Int32Array, d: number, k: number): number {
  if (d === 0) return 0;
  const [below, above] = [reach[k + d - 1]!, reach[k + d + 1]!];
  return isDown(reach, d, k) ? above : below + 1;
}

const isDown = (reach: Int32Array, d: number, k: number): boolean => k === -d || (k !== d && reach[k + d - 1]! < reach[k + d + 1]!);

/** Reconstructs the edit from the last step to the first, as lines with signs. */
function signed(a: readonly string[], b: readonly string[], ends: readonly Int32Array[], steps: number): readonly string[] {
  const out: string[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = steps; d >= 0; d--) {
    const k = x - y;
    const reach = d > 0 ? ends[d - 1]! : new Int32Array(3);
    const start = startOf(reach, d, k);
    while (x > start) {
      out.push(` ${a[--x]!}`);
      y--;
    }
    if (d === 0) break;
    if (isDown(reach, d, k)) out.push(`+${b[--y]!}`);
    else out.push(`-${a[--x]!}`);
  }
  return removalsFirst(out.toReversed());
}

/** Returns the lines with every change reordered: removals first, then additions. */
function removalsFirst(lines: readonly string[]): readonly string[] {
  const out: string[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && !lines[end]!.startsWith(' ')) end++;
    const change = lines.slice(i, end);
    out.push(...change.filter((l) => l.startsWith('-')), ...change.filter((l) => l.startsWith('+')));
    if (end < lines.length) out.push(lines[end++]!);
    i = end;
  }
  return out;
}
