/** The benchmark's results for a number of people and studios. `ratio` compares script time with the first row. */
export interface Row { people: number; studios: number; ms: number; ratio: number; calls: number; triangles: number; shadow: number; heapMb: number | null }

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Formats rows as text. Script times are multiples of the first row's time, which the heading gives in ms. */
export function table(rows: readonly Row[]): string {
  const first = rows[0], heads = ['people', 'studios', 'script', 'calls', 'triangles', '+ shadow', 'heap MB'];
  if (!first) return '';
  const line = (cells: readonly string[]) => cells.map((c, i) => c.padStart(i === 0 ? 6 : 11)).join('');
  const lines = rows.map(r => line([
    String(r.people), String(r.studios), `${r.ratio.toFixed(2)}x`, String(r.calls), String(r.triangles), String(r.shadow), r.heapMb?.toFixed(0) ?? '?',
  ]));
  return [`script time per frame as a multiple of ${first.ms.toFixed(2)} ms`, line(heads), ...lines].join('\n');
}
