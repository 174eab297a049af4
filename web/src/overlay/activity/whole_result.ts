import { useSignal, type Signal } from '@preact/signals';
import { errorWords, readJson } from '../kit/api.ts';
import { isObject } from '../work/content.ts';

/** Matches the server's own path to a full result; no other path is ever requested. */
const REF = /^\/v1\/hud\/[\w-]{1,128}\/result$/;

export type Result = Readonly<Record<string, unknown>>;

export interface Whole {
  /** Not requested, loading, loaded, or failed. */
  state: Signal<'none' | 'busy' | { result: Result } | { error: string }>;
  read: () => Promise<void>;
}

/** Returns the path to the full version of a truncated result, or null if there is none. */
export function wholePath(result: Result | undefined): string | null {
  const ref = result?.['ref'];
  return typeof ref === 'string' && REF.test(ref) ? ref : null;
}

/** Returns the state of a full result, and a function that loads it from path. */
export function useWhole(path: string | null): Whole {
  const state: Whole['state'] = useSignal<'none' | 'busy' | { result: Result } | { error: string }>('none');
  const read = async () => {
    if (path === null || state.peek() === 'busy') return;
    state.value = 'busy';
    try {
      const found = await readJson(path);
      const result = isObject(found) ? found['result'] : found;
      state.value = { result: isObject(result) ? result : { raw: result } };
    } catch (e) {
      state.value = { error: errorWords(e) };
    }
  };
  return { state, read };
}
