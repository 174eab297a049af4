import '../look/tokens.css';
import '../look/bench.css';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import { moduleScenes } from '../world/campus.ts';
import { Focus } from '../world/focus.ts';
import { Settings } from '../world/settings.ts';
import { Store, type AgentView } from '../world/store.ts';
import { benchGuests, benchRooms } from './bench_campus.ts';
import { theModule, theRoom } from './bench_office.ts';
import { random } from './kit.ts';
import { mountRoom, type Room } from './room.ts';

// The benchmark page: /bench.html?quality=high&counts=10,50 under `npm run dev`, with BULLPEN_URL
// (and BULLPEN_TOKEN) set to the office whose room it shows. It walks 10, 50, 200 and then 1,000
// people (or `counts`) through that room on its own clock, and prints script time per frame, draw
// calls, triangles and memory. With `studios=12` the people work in that many studios instead.

interface Row { agents: number; p50: number; p95: number; calls: number; triangles: number; shadow: number; heapMb: number | null }

const query = new URLSearchParams(location.search);
const counts = (query.get('counts') ?? '10,50,200,1000').split(',').map(Number).filter(n => n > 0);
const frames = Number(query.get('frames') ?? 60);
const studios = Number(query.get('studios') ?? 0);
const tick = 1000 / 60;

/** Returns n agents that walk between the spawn points. */
function walkers(n: number, manifest: SceneManifest, now: number): AgentView[] {
  const roll = random(11), spots = manifest.spawns.agents, pois = manifest.pois, spot = (): Vec3 => { const [x, , z] = spots[Math.floor(roll() * spots.length)] ?? [0, 0, 0]; return [x + roll() - 0.5, 0, z + roll() - 0.5]; };
  return Array.from({ length: n }, (_, i) => {
    const path = Array.from({ length: 40 }, spot), goal = { kind: 'go_to_poi' as const, poi_id: pois[i % pois.length]?.poi_id ?? 'poi_bench' };
    return {
      agent_id: `agent_bench_${i}`, name: `Walker ${i + 1}`, role: 'engineer', state: 'WalkingToPOI', pos: path[0]!, goal,
      motion: { seq: 1, path, speed_mps: 1.2, started_at: now, state: 'WalkingToPOI', goal },
    };
  });
}

/** Opens the studios and waits until their code is loaded. */
async function openStudios(store: Store, manifest: SceneManifest, guests: number): Promise<void> {
  store.modules.value = new Map(await Promise.all(moduleScenes.map(async id => [id, await theModule(path => fetch(path), id)] as const)));
  store.rooms.value = benchRooms(studios, guests);
  store.agents.value = benchGuests(guests, manifest, store.modules.value, store.rooms.value);
  await import('./campus.ts');
  await new Promise(r => setTimeout(r, 100));
}

const heapMb = (): number | null => {
  const memory = (performance as Performance & { memory?: { usedJSHeapSize: number } }).memory;
  return memory ? memory.usedJSHeapSize / 2 ** 20 : null;
};

async function measure(room: Room, store: Store, manifest: SceneManifest, agents: number): Promise<Row> {
  if (studios > 0) await openStudios(store, manifest, agents);
  else store.agents.value = walkers(agents, manifest, store.now());
  for (let i = 0; i < 5; i++) room.step(tick);
  const times: number[] = [];
  for (let i = 0; i < frames; i++) {
    const began = performance.now();
    room.step(tick);
    times.push(performance.now() - began);
    // Yield to the browser, so that queued drawing is not measured.
    if (i % 10 === 9) await new Promise(r => setTimeout(r));
  }
  times.sort((a, b) => a - b);
  const info = room.info(), at = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;
  return { agents, p50: at(0.5), p95: at(0.95), calls: info?.calls ?? 0, triangles: info?.triangles ?? 0, shadow: info?.shadowTriangles ?? 0, heapMb: heapMb() };
}

function print(rows: readonly Row[], room: Room): void {
  const info = room.info(), cell = (v: string, n: number) => v.padStart(n);
  const head = `quality ${info?.tier ?? '?'}   office built in ${info?.buildMs.toFixed(0) ?? '?'} ms of script\n\n` + ['agents', 'p50 ms', 'p95 ms', 'calls', 'triangles', '+ shadow', 'heap MB'].map((h, i) => cell(h, i ? 11 : 6)).join('');
  const lines = rows.map(r => cell(String(r.agents), 6) + [r.p50.toFixed(2), r.p95.toFixed(2), String(r.calls), String(r.triangles), String(r.shadow), r.heapMb?.toFixed(1) ?? '?'].map(v => cell(v, 11)).join(''));
  document.querySelector('#result')!.textContent = [head, ...lines].join('\n');
}

async function run(): Promise<void> {
  const manifest = await theRoom(path => fetch(path));
  const store = new Store(), canvas = document.querySelector<HTMLCanvasElement>('#room')!, labels = document.querySelector<HTMLElement>('#labels')!;
  const focus = new Focus(), room = mountRoom(canvas, labels, { store, focus, settings: new Settings(null, location.search), send: async () => ({ ok: true }) });
  if (!room.ok) { document.querySelector('#result')!.textContent = room.reason; return; }
  store.scene.value = manifest;
  while (room.frames() === 0) await new Promise(r => setTimeout(r, 50));
  const rows: Row[] = [];
  for (const n of counts) { rows.push(await measure(room, store, manifest, n)); print(rows, room); }
  Object.assign(window, { __bench: { rows, info: room.info(), store, focus, room } });
}

run().catch((why: unknown) => { document.querySelector('#result')!.textContent = String(why); });
