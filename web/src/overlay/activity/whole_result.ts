import { useSignal, type Signal } from '@preact/signals';
import { faultWords, readDoor } from '../kit/door.ts';
import { isObject } from '../work/content.ts';

/** The server's own path to what was cut; anything else that stands there is not followed. */
const REF = /^\/v1\/hud\/[\w-]{1,128}\/result$/;

export type Result = Readonly<Record<string, unknown>>;

export interface Whole {
  /** Nothing, being read, read, or why it could not be. */
  state: Signal<'none' | 'busy' | { result: Result } | { error: string }>;
  read: () => Promise<void>;
}

/** The path to the whole of a result that was cut; null when there is none. */
export function wholePath(result: Result | undefined): string | null {
  const ref = result?.['ref'];
  return typeof ref === 'string' && REF.test(ref) ? ref : null;
}

/** The whole of a result that was cut, once someone asks for it. */
export function useWhole(path: string | null): Whole {
  const state: Whole['state'] = useSignal<'none' | 'busy' | { result: Result } | { error: string }>('none');
  const read = async () => {
    if (path === null || state.peek() === 'busy') return;
    state.value = 'busy';
    try {
      const found = await readDoor(path);
      const result = isObject(found) ? found['result'] : found;
      state.value = { result: isObject(result) ? result : { raw: result } };
    } catch (e) {
      state.value = { error: faultWords(e) };
    }
  };
  return { state, read };
}
