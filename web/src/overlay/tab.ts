import { effect } from '@preact/signals';
import { countedIcon } from '../look/favicon.ts';
import type { Office } from './office.ts';

/** Shows the number of needs in the tab's title and icon. Returns a function that stops this and restores the icon. */
export function markTab({ store }: Office): () => void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const plain = icon?.getAttribute('href') ?? null;
  const stop = effect(() => {
    const count = store.needs.value.length;
    const name = store.scene.value?.label ?? 'Bullpen';
    document.title = count > 0 ? `(${count}) ${name}` : name;
    if (icon && plain !== null) icon.setAttribute('href', count > 0 ? countedIcon(count) : plain);
  });
  return () => {
    stop();
    if (icon && plain !== null) icon.setAttribute('href', plain);
  };
}
