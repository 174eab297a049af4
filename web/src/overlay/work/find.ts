import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';

/** The searchable rows of a view, and the one to scroll to. */
export interface Part {
  texts: readonly string[];
  at: Signal<number | null>;
}

/** The parts of the shown content, in order. */
export type Parts = { current: readonly Part[] };

export type Match = readonly [part: number, row: number];

/** How many matches are counted at most. */
export const MATCHES = 10_000;

/** Returns the rows that contain the query. Lower-case letters match upper-case ones too. */
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

/** Makes rows searchable, and scrolls to the selected one. */
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
