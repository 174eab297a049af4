import { effect } from '@preact/signals';
import type { Need } from '../world/rows.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';
import { needNews } from '../world/words.ts';

/** What shows a notification; tests bring their own. */
export interface Desk {
  hidden(): boolean;
  allowed(): boolean;
  /** Shows it and returns what takes it away. */
  show(title: string, body: string, tag: string, onClick: () => void): () => void;
}

/** Asks the browser for leave. Only call it from a click: browsers ignore and punish the rest. */
export async function askToNotify(settings: Settings): Promise<boolean> {
  const granted = 'Notification' in window && (await Notification.requestPermission()) === 'granted';
  settings.notify.value = granted;
  return granted;
}

/** Tells the person, while the page is hidden, that an agent needs them. Returns what ends it. */
export function startNotify(store: Store, settings: Settings, open: (need: Need) => void, desk: Desk = browserDesk): () => void {
  const shown = new Map<string, () => void>();
  let known: ReadonlySet<string> | null = null;
  return effect(() => {
    const needs = store.needs.value;
    const refs = new Set(needs.map((need) => need.ref));
    // What waited before the first state came is not news.
    const before = known;
    const fresh = before === null ? [] : needs.filter((need) => !before.has(need.ref));
    known = store.seq.value > 0 ? refs : null;
    for (const [ref, close] of shown) {
      if (refs.has(ref)) continue;
      close();
      shown.delete(ref);
    }
    if (!settings.notify.value || !desk.hidden() || !desk.allowed()) return;
    for (const need of fresh) shown.set(need.ref, desk.show(titleOf(need, store), need.title, need.ref, () => open(need)));
  });
}

function titleOf(need: Need, store: Store): string {
  const name = store.agents.peek().find((a) => a.agent_id === need.agent_id)?.name ?? 'Someone';
  return `${name} ${needNews[need.kind]}`;
}

const browserDesk: Desk = {
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
      return () => {}; // Some phones only allow notifications of a service worker.
    }
  },
};
