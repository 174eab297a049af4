import type { Room, SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import { composeScene, placeCampus, roomSuffix } from '../world/campus.ts';
import type { AgentView, Motion } from '../world/store.ts';
import { random } from './kit.ts';

// A made-up campus for the benchmark: many studios, with people at their desks, on their stages and in the garden.

const names = ['shop-api', 'mobile', 'billing', 'docs-site', 'infra', 'data-lake', 'search', 'design', 'auth', 'ledger', 'edge', 'ml-lab', 'games', 'maps', 'mail', 'video', 'labs', 'radar', 'forms', 'queue', 'store', 'admin', 'cron', 'proxy'];
const people = ['Iris', 'Jonas', 'Emil', 'Petra', 'Noor', 'Kaya', 'Ravi', 'Pia', 'Otis', 'Suki', 'Mina', 'Levi', 'Quin', 'Ada', 'Bo'];
const accents = ['terracotta', 'blue', 'purple', 'amber', 'green', 'teal'];

/** Returns the plots in the order they are used: around the garden, then ring by ring. */
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

/** One in every `walkersShare` people walks; the others sit or stand at their places. */
const walkersShare = 4;

/** A place for one person: a seat in a studio, the house or the garden. */
interface Seat { room: Room | null; anchor: string }

/**
 * Returns n people: first at the desks of the studios, then at the desks of the house, then in the garden. Some need a
 * person; one in four, and everybody without a seat, walks between the seats of a room.
 */
export function benchPeople(n: number, house: SceneManifest, modules: ReadonlyMap<string, SceneManifest>, rooms: readonly Room[], now: number): AgentView[] {
  const { pois } = composeScene(placeCampus(house, modules, rooms)), roll = random(11);
  const anchors = new Map(pois.flatMap(p => p.nav_anchors.map(a => [a.id, { a, poi: p.poi_id }] as const)));
  const seats: Seat[] = rooms.flatMap(room => Array.from({ length: room.desks * 2 }, (_, i) => ({ room, anchor: `anchor_desk_${i + 1}${roomSuffix(room.room_id)}` })));
  const others = house.pois.flatMap(p => p.nav_anchors).filter(a => a.seated).map(a => a.id);
  const garden = rooms.length > 0 ? [...anchors.keys()].filter(id => id.startsWith('anchor_garden')) : [];
  seats.push(...[...others, ...garden].map(anchor => ({ room: null, anchor })));
  const walk = (room: Room | null): Motion => {
    const near = seats.filter(s => s.room === room).map(s => anchors.get(s.anchor)!);
    const path = Array.from({ length: 40 }, (): Vec3 => near[Math.floor(roll() * near.length)]!.a.pos);
    return { seq: 1, path, speed_mps: 1.2, started_at: now, state: 'WalkingToPOI', goal: { kind: 'go_to_poi', poi_id: near[0]!.poi } };
  };
  return Array.from({ length: n }, (_, k): AgentView => {
    const { room, anchor } = seats[k % seats.length]!, walks = k % walkersShare === 3 || k >= seats.length;
    const asks = !walks && room !== null && anchor.startsWith('anchor_desk_5_'), at = asks ? `anchor_stage_1${roomSuffix(room.room_id)}` : anchor, { a, poi } = anchors.get(at)!;
    const activity = anchor.startsWith('anchor_garden') ? 'idle' : asks || k % 5 === 4 ? 'waiting' : 'working', motion = walks ? walk(room) : null;
    return {
      agent_id: `guest_${k}`, name: people[k % people.length]!, role: 'engineer', source: 'claude', activity, facing: a.facing, goal: { kind: 'go_to_poi', poi_id: poi, anchor_id: at },
      pos: motion?.path[0] ?? a.pos, state: motion ? 'WalkingToPOI' : activity === 'idle' ? 'IdleAtHome' : 'WorkingAtPOI',
      ...(room && { room_id: room.room_id }), ...(motion && { motion }), ...(asks && { needs_you: true, status_line: 'Deploy build 1408?' }),
    };
  });
}
