import '../look/tokens.css';
import '../look/bench.css';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { moduleScenes } from '../world/campus.ts';
import { Focus } from '../world/focus.ts';
import { Settings } from '../world/settings.ts';
import { Store } from '../world/store.ts';
import { benchPeople, benchRooms } from './bench_campus.ts';
import { median, table, type Row } from './bench_table.ts';
import { fetchOfficeScene, fetchScene } from './bench_office.ts';
import { leaveFor } from './people_stepper.ts';
import { mountRoom, type Room } from './room.ts';

// The benchmark page, which `npm run bench` opens. To run it by hand, open /bench.html?quality=high
// under `npm run dev`, with BULLPEN_URL set to the office whose room it shows (and BULLPEN_TOKEN).
// It puts 8, 25, 80, 200 and then 1,000 people (or `steps=people:studios,…`) into the house and a
// growing number of studios, and prints script time per frame, draw calls, triangles and memory. It
// measures in rounds, and compares a step only with the first step of the same round, so that a
// busy moment on the machine affects both.

const query = new URLSearchParams(location.search);
const steps = (query.get('steps') ?? '8:0,25:2,80:6,200:12,1000:24').split(',').map(s => s.split(':').map(Number) as [number, number]);
const rounds = Number(query.get('rounds') ?? 3);
const frames = Number(query.get('frames') ?? 20);
/** Above this many people, fewer frames are measured, but at least `fewest`: frames are slow without a graphics card. */
const many = 80;
const fewest = 5;
const tick = 1000 / 60;
/** How far to advance the room's clock so that shade fades in and the people from the last step leave, in ms. */
const settle = leaveFor + 200;
/** How long to wait before checking again whether the room is built, in ms. */
const pause = 300;

/** The objects that a step of the benchmark changes and measures. */
interface Bench { room: Room; store: Store; house: SceneManifest; gl: WebGL2RenderingContext }

/** Opens studios, fills them with people, and waits until the campus is fully drawn. */
async function fill({ room, store, house, gl }: Bench, people: number, studios: number): Promise<void> {
  store.rooms.value = benchRooms(studios, people);
  store.agents.value = benchPeople(people, house, store.modules.value, store.rooms.value, store.now());
  do {
    await new Promise(r => setTimeout(r, pause));
    room.step(settle);
    waitUntilDrawn(gl);
  } while (room.info()?.studios !== studios || !room.info()?.shaded);
}

/** Reads a pixel to wait until everything is drawn, because gl.finish() does not wait. */
function waitUntilDrawn(gl: WebGL2RenderingContext): void { gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); }

/** Returns the script times of several frames, in ms. */
function time({ room, gl }: Bench, people: number): number[] {
  return Array.from({ length: Math.max(fewest, Math.round(frames * Math.min(1, many / people))) }, () => {
    const began = performance.now();
    room.step(tick);
    const took = performance.now() - began;
    // Without a graphics card the next frame would otherwise wait for this one to be drawn.
    waitUntilDrawn(gl);
    return took;
  });
}

const heapMb = (): number | null => {
  const memory = (performance as Performance & { memory?: { usedJSHeapSize: number } }).memory;
  return memory ? memory.usedJSHeapSize / 2 ** 20 : null;
};

async function measure(bench: Bench, show: (text: string) => void): Promise<Row[]> {
  const times = steps.map((): number[] => []), rows: Row[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [i, [people, studios]] of steps.entries()) {
      await fill(bench, people, studios);
      times[i]!.push(median(time(bench, people)));
      const info = bench.room.info()!, ratios = times[i]!.map((ms, n) => ms / times[0]![n]!);
      rows[i] = { people, studios, ms: median(times[i]!), ratio: median(ratios), calls: info.calls, triangles: info.triangles, shadow: info.shadowTriangles, heapMb: heapMb() };
      show(`quality ${info.tier}, round ${round + 1} of ${rounds}\n\n${table(rows)}`);
    }
  }
  return rows;
}

async function run(show: (text: string) => void): Promise<void> {
  const house = await fetchOfficeScene(path => fetch(path));
  const store = new Store(), canvas = document.querySelector<HTMLCanvasElement>('#room')!, labels = document.querySelector<HTMLElement>('#labels')!;
  const focus = new Focus(), settings = new Settings(null, location.search), room = mountRoom(canvas, labels, { store, focus, settings, send: async () => ({ ok: true }) });
  if (!room.ok) throw new Error(room.reason);
  store.modules.value = new Map(await Promise.all(moduleScenes.map(async id => [id, await fetchScene(path => fetch(path), id)] as const)));
  store.scene.value = house;
  while (room.frames() === 0) await new Promise(r => setTimeout(r, 50));
  const rows = await measure({ room, store, house, gl: canvas.getContext('webgl2')! }, show);
  Object.assign(window, { __bench: { rows, text: table(rows), store, focus, settings, room } });
}

const show = (text: string): void => { document.querySelector('#result')!.textContent = text; };
run(show).catch((why: unknown) => {
  show(String(why));
  Object.assign(window, { __bench: { error: String(why) } });
});
