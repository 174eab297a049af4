import '@fontsource-variable/nunito/wght.css';
import { computed, signal } from '@preact/signals';
import './look/tokens.css';
import { Link } from './link/link.ts';
import { browser } from './link/surroundings.ts';
import { mountOverlay } from './overlay/overlay.tsx';
import type { Room } from './scene/room.ts';
import { startNotify } from './sound/notify.ts';
import { startSound } from './sound/sound.ts';
import { Focus } from './world/focus.ts';
import { Settings } from './world/settings.ts';
import { Store } from './world/store.ts';

const store = new Store();
const focus = new Focus();
const settings = new Settings(() => localStorage, location.search);
const link = new Link(store, browser(import.meta.env.MODE));
const { send, say } = link;

const canvas = document.querySelector<HTMLCanvasElement>('#room')!;
const labels = document.querySelector<HTMLElement>('#labels')!;
const overlay = document.querySelector<HTMLElement>('#overlay')!;

/** Why there is no picture; null while there is one. Without it the text view is all there is. */
const noRoom = signal<string | null>(null);
const listOnly = computed(() => noRoom.value !== null);

mountOverlay(overlay, { store, focus, settings, send, say, link: link.state, listOnly, noRoom });
link.start();
startSound(store, settings);
startNotify(store, settings, need => {
  focus.open.value = { kind: need.kind === 'review' ? 'artifact' : 'decision', id: need.ref };
});

/** The room comes after the overlay: three.js is the larger part of the download. */
async function openRoom(): Promise<Room | null> {
  try {
    const { mountRoom } = await import('./scene/room.ts');
    const onLost = (lost: boolean): void => { noRoom.value = lost ? 'The graphics card let go of the picture. It comes back by itself.' : null; };
    const room = mountRoom(canvas, labels, { store, focus, settings, send, onLost });
    if (room.ok) return room;
    noRoom.value = room.reason;
  } catch (e) {
    console.error('the room did not load', e);
    noRoom.value = 'The picture could not be loaded. Reload the page to try again.';
  }
  return null;
}
const room = await openRoom();

/** What browser tests hold on to. */
interface TestHooks { store: Store; focus: Focus; step(ms: number): void; frames(): number; info(): ReturnType<Room['info']> }
const query = new URLSearchParams(location.search);
if (room && (query.get('quality') === 'test' || query.has('debug'))) {
  const hooks: TestHooks = { store, focus, step: ms => room.step(ms), frames: () => room.frames(), info: () => room.info() };
  Object.assign(window, { __office: hooks });
}
