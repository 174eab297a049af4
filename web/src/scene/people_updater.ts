import type { NavAnchor } from '../contracts/protocol.gen.ts';
import { identity } from '../look/identity.ts';
import type { AgentView, StreamView } from '../world/store.ts';
import type { Stage } from './layer.ts';
import type { Cast, Person } from './people_cast.ts';
import { Spread } from './people_motion.ts';
import { perch, Perches } from './people_perch.ts';
import { appear, correct, truePosition } from './people_stepper.ts';
import { seeks, towardCamera } from './staging.ts';

/** A seat farther than this from the end of a walk, in metres, belongs to another agent. */
const seatReach = 0.45;
/** The speed of a guest that is leaving, in m/s. */
const leaveSpeed = 1.1;

/**
 * Updates the cast from the agents in the store: arrivals, departures and new goals. An unchanged goal is ignored, so a
 * snapshot that repeats the goals moves no one.
 */
export class CastUpdater {
  #anchors = new Map<string, NavAnchor>();
  /** The ids of the places with a desk. */
  #desks = new Set<string>();
  readonly #perches = new Perches();
  #known: unknown = null;
  readonly #spread = new Spread();
  readonly #order: Person[] = [];
  #mark = 0;

  constructor(readonly cast: Cast, readonly stage: Pick<Stage, 'manifest'>) {}

  /** True if the scene's places have changed since the last update. */
  get stale(): boolean { return this.stage.manifest !== this.#known; }

  /** Reads the scene's places again if they have changed; returns true if they have. */
  #places(): boolean {
    if (!this.stale) return false;
    const { manifest } = this.stage;
    this.#known = manifest;
    this.#anchors = new Map(manifest.pois.flatMap(p => p.nav_anchors.map(a => [a.id, a] as const)));
    this.#desks = new Set(manifest.pois.filter(p => p.type.endsWith('_desk')).map(p => p.poi_id));
    return true;
  }

  update(agents: readonly AgentView[], streams: ReadonlyMap<string, StreamView>, now: number): void {
    this.#mark++;
    const moved = this.#places();
    this.#order.length = 0;
    this.#perches.clear();
    for (const view of agents) {
      // A guest that is offline is not in the room.
      const at = view.source && view.activity === 'offline' ? null : this.#perches.next(view);
      if (at !== null) this.#order.push(this.#take(view, at, streams.get(view.agent_id), now, moved));
    }
    for (const p of this.#order) p.more = this.#perches.more(p.id);
    for (let i = this.cast.count - 1; i >= 0; i--) {
      const p = this.cast.people[i]!;
      if (p.kind === 'agent' && p.seen !== this.#mark) {
        if (!p.view?.source) this.cast.remove(p);
        else if (p.leftAt === 0) this.#leave(p, now);
      }
      else if (p.kind === 'player') this.#order.push(p);
    }
    this.#spread.arrange(this.#order, this.#order.length);
    for (const p of this.#order) p.settled &&= p.sideX === p.asideX && p.sideZ === p.asideZ;
  }

  /** Updates only the streamed output of each agent. */
  updateStreams(streams: ReadonlyMap<string, StreamView>): void {
    for (const p of this.cast.people) if (p.stream) p.stream = streams.get(p.id);
    for (const [id, s] of streams) { const p = this.cast.byId.get(id); if (p) p.stream = s; }
  }

  #take(view: AgentView, at: number, stream: StreamView | undefined, now: number, moved: boolean): Person {
    const was = this.cast.byId.get(view.agent_id);
    const p = was ?? this.cast.add(view.agent_id, 'agent', identity(view.agent_id, view.role, view, at >= 0));
    const shifted = at !== p.perch;
    // A guest that returns while it is leaving counts as new.
    const old = p.leftAt > 0 ? null : p.view;
    p.leftAt = 0;
    p.seen = this.#mark;
    p.perch = at;
    p.view = view;
    p.stream = stream;
    p.name = view.name ?? view.agent_id;
    if (old && (shifted || old.role !== view.role || old.source !== view.source || old.from !== view.from || old.parent_id !== view.parent_id)) this.cast.dress(p, identity(view.agent_id, view.role, view, at >= 0));
    if (old === view && !moved && !shifted) return p;
    if (!old || moved || shifted || old.motion !== view.motion || old.needs_you !== view.needs_you || (!view.motion && (old.pos !== view.pos || old.facing !== view.facing))) {
      this.#setGoal(p, view);
      if (old) correct(p, now); else appear(this.cast, p, now);
    }
    if (old && (old.state !== view.state || old.activity !== view.activity)) p.settled = false;
    return p;
  }

  /** Makes a guest walk towards the door and fade out. */
  #leave(p: Person, now: number): void {
    const { x, z } = truePosition(p, now), [doorX, , doorZ] = this.stage.manifest.spawns?.player ?? [0, 0, 9];
    p.leftAt = now;
    p.path = [[x, 0, z], [doorX, 0, doorZ]];
    p.speed = leaveSpeed;
    p.startedAt = now;
    p.settled = false;
    this.cast.version++;
  }

  #setGoal(p: Person, view: AgentView): void {
    const m = view.motion;
    p.path = m?.path ?? [];
    p.speed = m?.speed_mps ?? 0;
    p.startedAt = m?.started_at ?? 0;
    const end = p.path[p.path.length - 1] ?? view.pos;
    p.endX = end[0];
    p.endZ = end[2];
    const goal = m?.goal ?? view.goal;
    const a = goal?.anchor_id ? this.#anchors.get(goal.anchor_id) : undefined;
    const near = a && Math.hypot(a.pos[0] - p.endX, a.pos[2] - p.endZ) < seatReach ? a : undefined;
    p.desk = goal?.poi_id !== undefined && this.#desks.has(goal.poi_id);
    p.seat = near?.seated ? (near.seat_height ?? 0.42) : 0;
    p.upX = (near?.approach?.[0] ?? NaN) - p.endX;
    p.upZ = (near?.approach?.[2] ?? NaN) - p.endZ;
    const face = m?.facing ?? near?.facing ?? view.facing;
    if (face && (face[0] !== 0 || face[2] !== 0)) p.restHeading = Math.atan2(face[0], face[2]);
    else if (p.path.length > 1) p.restHeading = endHeading(p);
    if (p.perch >= 0) perch(p, face ?? [0, 0, 1], this.stage.manifest);
    else if (p.seat === 0 && seeks(view)) p.restHeading = towardCamera(this.stage.manifest);
  }
}

/** Returns the heading after a walk whose goal does not specify one: the direction of the last leg. */
function endHeading(p: Person): number {
  for (let i = p.path.length - 1; i > 0; i--) {
    const a = p.path[i - 1]!, b = p.path[i]!;
    if (a[0] !== b[0] || a[2] !== b[2]) return Math.atan2(b[0] - a[0], b[2] - a[2]);
  }
  return p.restHeading;
}
