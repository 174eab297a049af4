/** Two lists of lines that replace each other, brought side by side; null where a line has no partner. */
export type Aligned<T> = readonly (readonly [T | null, T | null])[];

/** Larger changes are aligned by their order alone. */
const MOST = 1200;
/** Lines that share less than this are not the same line, changed. */
const ALIKE = 0.4;

/** Aligns removed lines with the added lines that are most like them, without changing their order. */
export function aligned<T extends { text: string }>(gone: readonly T[], came: readonly T[]): Aligned<T> {
  if (gone.length * came.length > MOST) return zipped(gone, came);
  const likeness = likenesses(gone, came);
  const width = came.length + 1;
  const best = new Float32Array((gone.length + 1) * width);
  for (let i = gone.length - 1; i >= 0; i--) {
    for (let j = came.length - 1; j >= 0; j--) {
      const at = i * width + j;
      best[at] = Math.max(best[at + width]!, best[at + 1]!, likeness(i, j) + best[at + width + 1]!);
    }
  }
  const rows: (readonly [T | null, T | null])[] = [];
  let [fromGone, fromCame] = [0, 0]; // what has no partner yet
  for (let i = 0, j = 0; i < gone.length && j < came.length; ) {
    const at = i * width + j;
    if (likeness(i, j) > 0 && best[at] === Math.fround(likeness(i, j) + best[at + width + 1]!)) {
      rows.push(...zipped(gone.slice(fromGone, i), came.slice(fromCame, j)), [gone[i]!, came[j]!]);
      fromGone = ++i;
      fromCame = ++j;
    } else if (best[at] === best[at + width]!) i++;
    else j++;
  }
  return [...rows, ...zipped(gone.slice(fromGone), came.slice(fromCame))];
}

function zipped<T>(gone: readonly T[], came: readonly T[]): Aligned<T> {
  return Array.from({ length: Math.max(gone.length, came.length) }, (_, n) => [gone[n] ?? null, came[n] ?? null] as const);
}

/** How much of their words two lines share, from 0 to 1; 0 below ALIKE. */
function likenesses<T extends { text: string }>(gone: readonly T[], came: readonly T[]): (i: number, j: number) => number {
  const words = (line: T) => new Set(line.text.slice(0, 500).match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu));
  const [left, right] = [gone.map(words), came.map(words)];
  return (i, j) => {
    const [a, b] = [left[i]!, right[j]!];
    const shared = [...a].filter((word) => b.has(word)).length;
    const share = (2 * shared) / Math.max(a.size + b.size, 1);
    return share < ALIKE ? 0 : share;
  };
}
