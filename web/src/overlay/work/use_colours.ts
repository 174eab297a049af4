import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Run } from './highlight.ts';
import { RICH_CHARS } from './limits.ts';

type Colours = readonly (readonly Run[])[];

/**
 * Returns the colours of each string; empty if the language is unknown, the highlighter is not loaded yet, or the
 * strings are too long.
 */
export function useColours(texts: readonly string[], language: string | undefined): readonly (Colours | undefined)[] {
  const state = useSignal<{ of: readonly string[]; colours: readonly Colours[] } | null>(null);
  useEffect(() => {
    if (!language || texts.reduce((sum, t) => sum + t.length, 0) > RICH_CHARS) return;
    let gone = false;
    const colour = async () => {
      const { colours } = await import('./highlight.ts');
      if (!gone) state.value = { of: texts, colours: texts.map((text) => colours(text, language)) };
    };
    void colour();
    return () => {
      gone = true;
    };
  }, [texts, language]);
  return state.value?.of === texts ? state.value.colours : [];
}
