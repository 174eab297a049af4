import { effect } from '@preact/signals';
import { moduleScenes } from '../world/campus.ts';
import type { Store } from '../world/store.ts';
import type { Environment } from './environment.ts';
import { fetchScene } from './fetch.ts';

/**
 * When the first room opens, fetches the manifests that rooms are built from. A failed fetch is retried when the
 * rooms change. Returns a function that stops fetching.
 */
export function fetchModules(env: Environment, store: Store): () => void {
  const fetching = new Set<string>();
  const fetchOne = async (id: string): Promise<void> => {
    fetching.add(id);
    const found = await fetchScene(env, id);
    fetching.delete(id);
    if (found && found !== 'denied') store.modules.value = new Map(store.modules.peek()).set(id, found);
  };
  return effect(() => {
    if (store.rooms.value.length === 0) return;
    for (const id of moduleScenes) if (!store.modules.peek().has(id) && !fetching.has(id)) void fetchOne(id);
  });
}
