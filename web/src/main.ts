import '@fontsource-variable/nunito/wght.css';
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

/** The overlay; without a picture it is the text view. Mounting it again replaces it. */
let unmount = (): void => {};
function show(listOnly: boolean): void {
  unmount();
  unmount = mountOverlay(overlay, { store, focus, settings, send, say, link: link.state, listOnly });
  document.documentElement.toggleAttribute('data-list-only', listOnly);
}

show(false);
link.start();
startSound(store, settings);
startNotify(store, settings, need => {
  focus.open.value = { kind: need.kind === 'decision' ? 'decision' : 'artifact', id: need.ref };
});

// The room comes after the overlay: three.js is the larger part of the download.
const { mountRoom } = await import('./scene/room.ts');
const room = mountRoom(canvas, labels, { store, focus, settings, send, onLost: lost => show(lost) });
if (!room.ok) show(true);

/** What browser tests hold on to. */
interface TestHooks { store: Store; focus: Focus; step(ms: number): void; frames(): number; info(): ReturnType<Room['info']> }
const query = new URLSearchParams(location.search);
if (room.ok && (query.get('quality') === 'test' || query.has('debug'))) {
  const hooks: TestHooks = { store, focus, step: ms => room.step(ms), frames: () => room.frames(), info: () => room.info() };
  Object.assign(window, { __office: hooks });
}
