import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';

/** The searchable rows of a view, and the row to scroll to. */
export interface Part {
  texts: readonly string[];
  at: Signal<number | null>;
}

/** The searchable parts of the displayed content, in order. */
export type Parts = { current: readonly Part[] };

export type Match = readonly [part: number, row: number];

/** The number of matches after which a search stops. */
export const MATCHES = 10_000;

/** Returns the rows that contain the query. A lower-case query matches any case. */
export function matchesOf(parts: readonly Pick<Part, 'texts'>[], query: string): readonly Match[] {
  if (query === '') return [];
  const small = query === query.toLowerCase();
  const found: Match[] = [];
  for (const [p, { texts }] of parts.entries()) {
    for (const [row, text] of texts.entries()) {
      if ((small ? text.toLowerCase() : text).includes(query)) found.push([p, row]);
      if (found.length === MATCHES) return found;
    }
  }
  return found;
}

/** Makes the rows of a view searchable and scrolls to the selected row. Returns the signal that selects a row. */
export function usePart(parts: Parts, texts: readonly string[], view: { current: HTMLElement | null }, given?: Signal<number | null>): Signal<number | null> {
  const own = useSignal<number | null>(null);
  const at = given ?? own;
  useLayoutEffect(() => {
    const part = { texts, at };
    parts.current = [...parts.current, part];
    return () => {
      parts.current = parts.current.filter((p) => p !== part);
    };
  }, [texts]);
  useEffect(() => {
    if (at.value !== null) view.current?.querySelector(`[data-row="${at.value}"]`)?.scrollIntoView({ block: 'center' });
  }, [at.value]);
  return at;
}
