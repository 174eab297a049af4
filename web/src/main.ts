import '@fontsource-variable/nunito/wght.css';
import { computed, signal } from '@preact/signals';
import './look/tokens.css';
import { Link } from './link/link.ts';
import { browser } from './link/environment.ts';
import { mountOverlay } from './overlay/overlay.tsx';
import type { Room } from './scene/room.ts';
import { roomHash, showStill } from './scene/still.ts';
import { startNotify } from './sound/notify.ts';
import { startSound } from './sound/sound.ts';
import { watchFinale } from './world/finale.ts';
import { Focus } from './world/focus.ts';
import { Settings } from './world/settings.ts';
import { Store } from './world/store.ts';

// The room is most of the download, so start loading it before anything else.
const scene = import('./scene/room.ts');

const store = new Store();
const focus = new Focus();
const settings = new Settings(() => localStorage, location.search);
const link = new Link(store, browser(import.meta.env.MODE));
const { send, say } = link;

const still = document.querySelector<HTMLImageElement>('#still')!;
const canvas = document.querySelector<HTMLCanvasElement>('#room')!;
const labels = document.querySelector<HTMLElement>('#labels')!;
const overlay = document.querySelector<HTMLElement>('#overlay')!;

/** Why only the text view is shown; null while the 3D view is available. */
const noRoom = signal<string | null>(null);
const listOnly = computed(() => noRoom.value !== null);

const onDrawn = showStill(still, { store, focus, settings }, canvas);
link.start();
mountOverlay(overlay, { store, focus, settings, send, say, link: link.state, listOnly, noRoom });
watchFinale(store, focus);
startSound(store, settings);
startNotify(store, settings, need => {
  focus.open.value = { kind: need.kind === 'review' ? 'artifact' : 'decision', id: need.ref };
});

async function openRoom(): Promise<Room | null> {
  try {
    const { mountRoom } = await scene;
    const onLost = (lost: boolean): void => { noRoom.value = lost ? 'The graphics card reset the 3D view. It will recover on its own.' : null; };
    const room = mountRoom(canvas, labels, { store, focus, settings, send, onLost, onDrawn });
    if (room.ok) return room;
    noRoom.value = room.reason;
  } catch (e) {
    console.error('failed to load the 3D view', e);
    noRoom.value = 'The 3D view could not be loaded. Reload the page to try again.';
  }
  return null;
}
const room = await openRoom();

/** Hooks for browser tests, in window.__office. */
interface TestHooks { store: Store; focus: Focus; step(ms: number): void; frames(): number; info(): ReturnType<Room['info']>; project: Room['project']; roomHash(): string }
const query = new URLSearchParams(location.search);
if (room && (query.get('quality') === 'test' || query.has('debug'))) {
  const hooks: TestHooks = { store, focus, step: ms => room.step(ms), frames: () => room.frames(), info: () => room.info(), project: at => room.project(at), roomHash: () => (store.scene.value ? roomHash(store.scene.value) : '') };
  Object.assign(window, { __office: hooks });
}
