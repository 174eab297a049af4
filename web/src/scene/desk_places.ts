import type { SceneObject, Vec3 } from '../contracts/protocol.gen.ts';
import { roomSuffix, type Placed } from '../world/campus.ts';
import type { AgentView } from '../world/store.ts';
import { firstMonitor } from './furniture/desk.ts';
import { toRoom } from './props_place.ts';

/** A desk on the campus. */
export interface Desk { object: SceneObject; wide: boolean; turn: number; /** The ids of its seats. */ seats: readonly string[]; at(x: number, y: number, z: number): Vec3 }

/** Returns all desks on the campus, by the id of their place. */
export function desksOf(placed: readonly Placed[]): ReadonlyMap<string, Desk> {
  const out = new Map<string, Desk>();
  for (const { id, manifest, x: dx, z: dz } of placed) {
    const suffix = roomSuffix(id);
    for (const object of manifest.objects) {
      if (object.kind !== 'desk' || !object.poi_id) continue;
      const at = (x: number, y: number, z: number): Vec3 => { const p = toRoom(object, x, y, z); return [p[0] + dx, p[1], p[2] + dz]; };
      const seats = (manifest.pois.find(p => p.poi_id === object.poi_id)?.nav_anchors ?? []).map(a => a.id + suffix);
      out.set(object.poi_id + suffix, { object, wide: object.style?.wide === true, turn: object.rotation_y, seats, at });
    }
  }
  return out;
}

/** Remembers each agent's desk, even while the agent is away from it. */
export class DeskOwners {
  readonly #of = new Map<string, string>();

  /**
   * Returns the agent that owns each desk, by the id of the place: the agent that has a seat at it, or else the agent
   * that works or last worked there.
   */
  update(agents: readonly AgentView[], desks: ReadonlyMap<string, Desk>): ReadonlyMap<string, AgentView> {
    const owners = new Map<string, AgentView>(), here = new Set(agents.map(a => a.agent_id)), seats = new Map([...desks].flatMap(([poi, d]) => d.seats.map(seat => [seat, poi] as const)));
    for (const a of agents) {
      const poi = seats.get(a.seat_id ?? '') ?? a.motion?.goal.poi_id ?? a.goal?.poi_id ?? '';
      // A sub-agent sits at its parent's desk, which belongs to the parent.
      if (!desks.has(poi) || a.parent_id) continue;
      owners.set(poi, a);
      this.#of.set(a.agent_id, poi);
    }
    for (const id of this.#of.keys()) if (!here.has(id)) this.#of.delete(id);
    for (const a of agents) {
      const poi = this.#of.get(a.agent_id);
      if (poi !== undefined && desks.has(poi) && !owners.has(poi)) owners.set(poi, a);
    }
    return owners;
  }
}

/** Returns the centre, size and rotation of the screen of a desk's first monitor. */
export function screenOf(desk: Desk, rim: number, up: number, front: number): { pos: Vec3; w: number; h: number; turn: number } {
  const m = firstMonitor(desk.wide), s = Math.sin(m.turn) * (front + 0.003), c = Math.cos(m.turn) * (front + 0.003);
  return { pos: desk.at(m.x + s, m.y + up + m.h / 2, m.z + c), w: m.w - rim, h: m.h - rim, turn: desk.turn + m.turn };
}
