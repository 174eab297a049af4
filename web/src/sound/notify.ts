import { effect } from '@preact/signals';
import { needNews } from '../contracts/words.gen.ts';
import type { Need } from '../world/rows.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';

/** Shows notifications; tests pass a fake. */
export interface Notifier {
  hidden(): boolean;
  allowed(): boolean;
  /** Shows a notification and returns a function that closes it. */
  show(title: string, body: string, tag: string, onClick: () => void): () => void;
}

/**
 * Asks for permission to show notifications and sets settings.notify to the answer, which it also returns. Call it
 * only from a click handler.
 */
export async function askToNotify(settings: Settings): Promise<boolean> {
  const granted = 'Notification' in window && (await Notification.requestPermission()) === 'granted';
  settings.notify.value = granted;
  return granted;
}

/** Notifies the user of new needs while the page is hidden. Returns a function that stops this. */
export function startNotify(store: Store, settings: Settings, open: (need: Need) => void, notifier: Notifier = browserNotifier): () => void {
  const shown = new Map<string, () => void>();
  let known: ReadonlySet<string> | null = null;
  return effect(() => {
    const needs = store.needs.value;
    const refs = new Set(needs.map((need) => need.ref));
    // Needs that already existed when the page opened are not new, and a session that has ended
    // unchecked is not waiting for anyone.
    const before = known;
    const fresh = before === null ? [] : needs.filter((need) => !before.has(need.ref) && need.kind !== 'unchecked');
    known = store.seq.value > 0 ? refs : null;
    for (const [ref, close] of shown) {
      if (refs.has(ref)) continue;
      close();
      shown.delete(ref);
    }
    if (!settings.notify.value || !notifier.hidden() || !notifier.allowed()) return;
    for (const need of fresh) shown.set(need.ref, notifier.show(titleOf(need, store), need.title, need.ref, () => open(need)));
  });
}

function titleOf(need: Need, store: Store): string {
  const name = store.agents.peek().find((a) => a.agent_id === need.agent_id)?.name ?? 'Someone';
  return `${name} ${needNews[need.kind]}`;
}

const browserNotifier: Notifier = {
  hidden: () => document.visibilityState === 'hidden',
  allowed: () => 'Notification' in window && Notification.permission === 'granted',
  show: (title, body, tag, onClick) => {
    try {
      const note = new Notification(title, { body, tag });
      note.addEventListener('click', () => {
        window.focus();
        note.close();
        onClick();
      });
      return () => note.close();
    } catch {
      return () => {}; // Some phones allow notifications only from a service worker.
    }
  },
};
