import { Color, type DataTexture } from 'three';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Identity } from '../look/identity.ts';
import type { AgentView, StreamView } from '../world/store.ts';
import type { Stander } from './people_motion.ts';
import type { Pastime } from './people_pastime.ts';
import type { Pose } from './people_pose.ts';
import { At, ROW, rows, STRIDE, texture, type RigUniforms } from './rig.ts';

/** A person in the scene: an agent or a player. The object is updated in place. */
export interface Person extends Stander {
  id: string;
  kind: 'agent' | 'player';
  name: string;
  /** The person's row in the data texture. */
  index: number;
  look: Identity;
  view: AgentView | null;
  stream: StreamView | undefined;
  pose: Pose;
  /** The person's pastime while free. */
  pastime: Pastime;
  /** The heading of a pastime, in radians; NaN to keep the heading of the place. */
  turnTo: number;
  /** The points of the walk; if empty, the person stands at endX, endZ. */
  path: readonly Vec3[];
  speed: number;
  startedAt: number;
  /** The heading after arrival, in radians. */
  restHeading: number;
  seat: number;
  /** Where the person stands after getting up, relative to the seat; NaN if the seat has no such point. */
  upX: number;
  upZ: number;
  /** True if the place has a desk. */
  desk: boolean;
  /** The number of a sub-agent's perch at its parent's seat; -1 for none. */
  perch: number;
  /** How many sub-agents at this person's seat are not drawn. */
  more: number;
  /** How far the drawn position is from the true position, in metres; it smoothly returns to 0. */
  errorX: number;
  errorZ: number;
  /** The sideways offset: a lane while walking, or a free spot if others stand in the same place. */
  sideX: number;
  sideZ: number;
  x: number;
  z: number;
  heading: number;
  moving: boolean;
  /** Server time of the last jump; 0 if there was none. */
  hopAt: number;
  /** The angle of the head relative to the body, in radians. */
  gaze: number;
  /** True if nothing moves until something changes. */
  settled: boolean;
  /** Server time when a guest began to leave; 0 while it is here. */
  leftAt: number;
  /** The number of the last update that contained this person. */
  seen: number;
}

const blank: Pose = 'idle';
const paint = new Color();

/**
 * Everyone in the room, in one float texture that all meshes of the crowd read. Rows
 * are dense: when a person leaves, the last row takes their place. Capacity doubles as
 * needed, and only changed rows are uploaded.
 */
export class Cast {
  readonly people: Person[] = [];
  readonly byId = new Map<string, Person>();
  readonly uniforms: RigUniforms;
  data: Float32Array;
  capacity: number;
  /** Incremented when someone comes, goes, or changes row or look, so that instance lists can detect changes. */
  version = 0;
  #dirty: Uint8Array;
  #anyDirty = false;
  #uploaded = false;

  constructor(capacity = 64) {
    this.capacity = capacity;
    this.data = new Float32Array(rows(capacity) * ROW * 4);
    this.#dirty = new Uint8Array(rows(capacity));
    this.uniforms = { uPeople: { value: this.#texture() }, uTime: { value: 0 }, uMotion: { value: 1 }, uBlink: { value: 0 } };
  }

  get count(): number { return this.people.length; }
  get texture(): DataTexture { return this.uniforms.uPeople.value; }

  add(id: string, kind: Person['kind'], look: Identity): Person {
    if (this.count === this.capacity) this.#grow();
    const p: Person = {
      id, kind, look, name: '', index: this.count, view: null, stream: undefined, pose: blank, pastime: 'none', turnTo: NaN, path: [], speed: 0, startedAt: 0,
      restHeading: 0, seat: 0, upX: NaN, upZ: NaN, desk: false, perch: -1, more: 0, errorX: 0, errorZ: 0, sideX: 0, sideZ: 0, x: 0, z: 0, heading: 0, moving: false, hopAt: 0, gaze: 0, settled: false, leftAt: 0, seen: 0,
      endX: 0, endZ: 0, asideX: 0, asideZ: 0, rank: 0,
    };
    this.people.push(p);
    this.byId.set(id, p);
    this.data.fill(0, p.index * STRIDE, (p.index + 1) * STRIDE);
    this.dress(p, look);
    this.version++;
    return p;
  }

  remove(p: Person): void {
    const last = this.people.pop()!;
    if (last !== p) {
      this.data.copyWithin(p.index * STRIDE, last.index * STRIDE, (last.index + 1) * STRIDE);
      last.index = p.index;
      this.people[p.index] = last;
      this.touch(last);
    }
    this.byId.delete(p.id);
    this.version++;
  }

  dress(p: Person, look: Identity): void {
    p.look = look;
    const o = p.index * STRIDE;
    paint.set(look.skin).toArray(this.data, o + At.skin);
    paint.set(look.hair).toArray(this.data, o + At.hair);
    paint.set(look.top).toArray(this.data, o + At.top);
    paint.set(look.trousers).toArray(this.data, o + At.trousers);
    this.data[o + At.scale] = look.height;
    this.data[o + At.seed] = look.seed;
    this.touch(p);
    this.version++;
  }

  touch(p: Person): void {
    this.#dirty[(p.index * STRIDE / (ROW * 4)) | 0] = 1;
    this.#anyDirty = true;
  }

  /** Queues the changed rows for upload; returns true if there were any. */
  flush(): boolean {
    if (!this.#anyDirty) return false;
    const t = this.texture;
    // Nothing is uploaded while nothing is drawn, so old ranges would pile up.
    if (t.updateRanges.length > this.#dirty.length) { t.clearUpdateRanges(); this.#uploaded = false; }
    for (let r = 0; r < this.#dirty.length; r++) {
      if (this.#dirty[r] === 1 && this.#uploaded) t.addUpdateRange(r * ROW * 4, ROW * 4);
      this.#dirty[r] = 0;
    }
    t.needsUpdate = true;
    this.#anyDirty = false;
    return true;
  }

  /** Uploads everything again after a lost context has been restored. */
  restored(): void {
    this.#uploaded = false;
    this.texture.clearUpdateRanges();
    this.texture.needsUpdate = true;
  }

  dispose(): void { this.texture.dispose(); }

  #grow(): void {
    this.capacity *= 2;
    const data = new Float32Array(rows(this.capacity) * ROW * 4);
    data.set(this.data);
    this.data = data;
    this.#dirty = new Uint8Array(rows(this.capacity));
    this.texture.dispose();
    this.uniforms.uPeople.value = this.#texture();
    this.#anyDirty = true;
    this.version++;
  }

  #texture(): DataTexture {
    this.#uploaded = false;
    const t = texture(this.capacity, this.data);
    t.onUpdate = () => { this.#uploaded = true; };
    return t;
  }
}

const castByStage = new WeakMap<object, Cast>();

/** Returns the cast of a stage, created on first use; all layers of a room share it. */
export function castOf(stage: object): Cast {
  let c = castByStage.get(stage);
  if (!c) castByStage.set(stage, c = new Cast());
  return c;
}
