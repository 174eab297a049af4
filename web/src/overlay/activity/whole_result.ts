import { useSignal, type Signal } from '@preact/signals';
import { errorWords, readJson } from '../kit/api.ts';
import { isObject } from '../work/content.ts';

/** The server's own path to a full result; any other value is not requested. */
const REF = /^\/v1\/hud\/[\w-]{1,128}\/result$/;

export type Result = Readonly<Record<string, unknown>>;

export interface Whole {
  /** Not loaded, loading, loaded, or failed. */
  state: Signal<'none' | 'busy' | { result: Result } | { error: string }>;
  read: () => Promise<void>;
}

/** Returns the path to the full version of a truncated result, or null. */
export function wholePath(result: Result | undefined): string | null {
  const ref = result?.['ref'];
  return typeof ref === 'string' && REF.test(ref) ? ref : null;
}

/** Loads the full version of a truncated result on request. */
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
