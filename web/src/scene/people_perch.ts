import { DESK_PERCHES } from '../contracts/limits.gen.ts';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import type { AgentView } from '../world/store.ts';
import type { Person } from './people_cast.ts';
import { towardCamera } from './staging.ts';

// Sub-agents perch on the desk, to the left and right of their parent's seat.

/** How far a perch is from the seat, in metres: towards the desk and to the side. */
const ahead = 0.46;
const aside = 0.56;
/** The seat height of a small sub-agent on a desk and on the floor, in metres. */
const onDesk = 0.78;
const onFloor = 0.24;
/** How far two sub-agents at one seat turn towards each other, in radians. */
const turned = 0.25;

/** Returns the id of the agent that shares its seat with the given agent, or undefined if the agent has its own place. */
const hostOf = (view: AgentView): string | undefined => (view.motion?.goal ?? view.goal)?.perch_of;

/** Counts the sub-agents at each seat while a list of agents is being read. */
export class Perches {
  readonly #count = new Map<string, number>();

  clear(): void { this.#count.clear(); }

  /**
   * Returns the number of an agent's perch, counted from 0. Returns -1 if the agent does not perch, or null if all
   * perches are taken.
   */
  next(view: AgentView): number | null {
    const host = hostOf(view);
    if (host === undefined) return -1;
    const n = this.#count.get(host) ?? 0;
    this.#count.set(host, n + 1);
    return n < DESK_PERCHES ? n : null;
  }

  /** Returns the number of an agent's sub-agents without a perch. */
  more(id: string): number { return Math.max(0, (this.#count.get(id) ?? 0) - DESK_PERCHES); }
}

/** Moves the end of a sub-agent's path from the seat to the perch, where the sub-agent faces the camera. */
export function perch(p: Person, facing: Vec3, manifest: SceneManifest): void {
  const side = p.perch % 2 === 0 ? -1 : 1;
  const seat = [p.endX, p.endZ] as const;
  p.endX += facing[0] * ahead + facing[2] * aside * side;
  p.endZ += facing[2] * ahead - facing[0] * aside * side;
  const stays = p.path.every((v) => v[0] === seat[0] && v[2] === seat[1]);
  p.path = stays ? [] : [...p.path.slice(0, -1), [p.endX, 0, p.endZ]];
  p.seat = p.desk ? onDesk : onFloor;
  p.restHeading = towardCamera(manifest) + turned * side;
}
