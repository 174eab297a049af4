import type { Room, SceneManifest } from '../contracts/protocol.gen.ts';
import { composeScene, placeCampus, roomSuffix } from '../world/campus.ts';
import type { AgentView } from '../world/store.ts';

// A made-up campus for the benchmark: many studios, with people at their desks, on their stages and in the garden.

const names = ['shop-api', 'mobile', 'billing', 'docs-site', 'infra', 'data-lake', 'search', 'design', 'auth', 'ledger', 'edge', 'ml-lab', 'games', 'maps', 'mail', 'video', 'labs', 'radar', 'forms', 'queue', 'store', 'admin', 'cron', 'proxy'];
const people = ['Iris', 'Jonas', 'Emil', 'Petra', 'Noor', 'Kaya', 'Ravi', 'Pia', 'Otis', 'Suki', 'Mina', 'Levi', 'Quin', 'Ada', 'Bo'];
const accents = ['terracotta', 'blue', 'purple', 'amber', 'green', 'teal'];

/** Returns the plots in the order in which they are used: around the garden, then ring by ring. */
function plots(n: number): [number, number][] {
  const out: [number, number][] = [[1, 0], [0, 1], [2, 0], [0, 2], [2, 1], [1, 2], [2, 2]];
  for (let ring = 3; out.length < n; ring++) {
    for (let i = 0; i < ring; i++) out.push([ring, i], [i, ring]);
    out.push([ring, ring]);
  }
  return out.slice(0, n);
}

/** Returns n open studios with room for `guests` people. */
export function benchRooms(n: number, guests: number): Room[] {
  const desks = Math.max(2, Math.min(6, Math.ceil(guests / n / 2)));
  return plots(n).map((plot, i): Room => ({ room_id: `room_${i + 1}`, key: `/src/${names[i]}`, label: names[i] ?? `studio ${i}`, module: 'studio', plot, accent: accents[i % accents.length]!, desks }));
}

/** Returns guests at the desks of their studios; some need a person, and those without a desk sit in the garden. */
export function benchGuests(n: number, house: SceneManifest, modules: ReadonlyMap<string, SceneManifest>, rooms: readonly Room[]): AgentView[] {
  const { pois } = composeScene(placeCampus(house, modules, rooms)), anchors = new Map(pois.flatMap(p => p.nav_anchors.map(a => [a.id, { a, poi: p.poi_id }] as const)));
  const seats = rooms.flatMap(r => Array.from({ length: 12 }, (_, i) => ({ room: r, id: `anchor_desk_${i + 1}${roomSuffix(r.room_id)}`, i })).slice(0, r.desks * 2));
  const garden = [...anchors.keys()].filter(id => id.startsWith('anchor_garden')).map(id => ({ room: rooms[0]!, id, i: -1 }));
  return seats.concat(garden).slice(0, n).map(({ room, id, i }, k): AgentView => {
    const asks = i === 3 && k % 3 === 0 || (i === 7 && k % 5 === 0), at = asks ? `anchor_stage_${i === 3 ? 1 : 2}${roomSuffix(room.room_id)}` : id, { a, poi } = anchors.get(at)!;
    const activity = i < 0 ? 'idle' : asks || k % 5 === 4 ? 'waiting' : 'working';
    return {
      agent_id: `guest_${k}`, name: people[k % people.length]!, role: 'engineer', source: 'claude', room_id: room.room_id, activity, state: i < 0 ? 'IdleAtHome' : 'WorkingAtPOI', pos: a.pos, facing: a.facing,
      goal: { kind: 'go_to_poi', poi_id: poi, anchor_id: at }, ...(asks && { needs_you: true, status_line: 'Deploy build 1408?' }),
    };
  });
}

