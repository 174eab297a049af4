import { type BufferGeometry, Euler, Group, InstancedMesh, type Material, Matrix4, Quaternion, type Raycaster, Vector3 } from 'three';
import type { Decor } from '../contracts/protocol.gen.ts';
import { trophyColors as paint } from '../look/marks.ts';
import type { Side } from './batch.ts';
import type { Bursts } from './burst.ts';
import { wallOf } from './kit.ts';
import type { Hit, Stage } from './layer.ts';
import { objectOf, standTrophies, type TrophyKind } from './props_place.ts';
import { Solid } from './props_solid.ts';
import { Shapes } from './shapes.ts';

/** How long a new trophy waits before it falls onto its board, and how long it falls and bounces, in milliseconds. */
const fallDelay = 1300, fallTime = 900;
/** The height above its board from which a new trophy falls, in metres. */
const drop = 0.75;
/** How long it takes until a new trophy touches its board, in milliseconds. */
export const trophyLands = fallDelay + fallTime * 0.4;
/** A trophy higher than this, in metres, stands on a wall board. */
const boardsFrom = 1;
const m4 = new Matrix4(), q = new Quaternion(), e = new Euler(), v = new Vector3(), s = new Vector3();

interface Standing { id: string; kind: TrophyKind; pos: readonly [number, number, number]; turn: number; size: number; since: number }
interface Row { mesh: InstancedMesh; ids: string[] }

/** The trophies of finished projects, one mesh per kind. A new trophy falls onto its board and sparkles. */
export class Trophies {
  readonly group = new Group();
  readonly #shapes: Shapes;
  readonly #material: Material;
  readonly #rows = new Map<TrophyKind, Row>();
  #all: Standing[] = [];
  #decor: readonly Decor[] | null = null;
  #moving = false;
  readonly #wall: Side;
  /** True if the wall and its boards are hidden. */
  #bare = false;

  constructor(readonly stage: Stage, readonly bursts: Bursts) {
    const shelf = objectOf(stage.manifest, 'trophy_shelf');
    this.#wall = shelf ? wallOf(stage.manifest, shelf) : 'room';
    this.#shapes = new Shapes(stage.quality.fine);
    this.#material = stage.material({ vertexColors: true, roughness: 0.34, metalness: 0.05 });
  }

  update(decor: readonly Decor[], now: number): boolean {
    const bare = this.#wall !== 'room' && this.stage.hidden[this.#wall];
    if (bare !== this.#bare) { this.#bare = bare; this.#moving = true; }
    if (decor !== this.#decor) this.#take(decor, now);
    if (!this.#moving) return false;
    return this.#draw(now);
  }

  pick(ray: Raycaster): Hit[] {
    return [...this.#rows.values()].flatMap(({ mesh, ids }) => ray.intersectObject(mesh, false).slice(0, 1).flatMap(h => {
      const id = h.instanceId === undefined ? undefined : ids[h.instanceId];
      return id ? [{ ref: { kind: 'decor' as const, id }, distance: h.distance, point: h.point }] : [];
    }));
  }

  dispose(): void {
    for (const { mesh } of this.#rows.values()) { mesh.geometry.dispose(); mesh.dispose(); }
    this.#material.dispose();
  }

  #take(decor: readonly Decor[], now: number): void {
    const first = this.#decor === null, known = new Map(this.#all.map(t => [t.id, t]));
    this.#decor = decor;
    this.#all = standTrophies(this.stage.manifest, decor).map(t => {
      const was = known.get(t.id);
      if (!was && !first && !this.stage.still) this.bursts.fire(t.pos[0], t.pos[1] + 0.3 * t.size, t.pos[2] + 0.1, [paint.gold, paint.silver, paint.chrome], (now + trophyLands) / 1000);
      return { ...t, since: was?.since ?? (first ? -Infinity : now) };
    });
    this.#moving = true;
  }

  #draw(now: number): boolean {
    let busy = false;
    for (const r of this.#rows.values()) { r.ids = []; r.mesh.count = 0; }
    for (const t of this.#all) {
      if (this.#bare && t.pos[1] > boardsFrom) continue;
      const row = this.#row(t.kind), i = row.ids.length, fallen = this.stage.still ? 1 : Math.min(1, (now - t.since - fallDelay) / fallTime);
      busy ||= fallen < 1;
      if (fallen <= 0) continue;
      if (i >= row.mesh.instanceMatrix.count) continue;
      row.mesh.setMatrixAt(i, m4.compose(v.set(...t.pos).setY(t.pos[1] + drop * height(fallen)), q.setFromEuler(e.set(0, t.turn, 0)), s.setScalar(t.size)));
      row.ids.push(t.id);
    }
    for (const r of this.#rows.values()) {
      r.mesh.count = r.ids.length;
      r.mesh.visible = r.ids.length > 0;
      r.mesh.instanceMatrix.needsUpdate = true;
      r.mesh.computeBoundingSphere();
    }
    this.stage.castersMoved();
    return this.#moving = busy;
  }

  #row(kind: TrophyKind): Row {
    let r = this.#rows.get(kind);
    if (r) return r;
    const mesh = new InstancedMesh(trophyGeometry(kind, this.#shapes), this.#material, Math.max(16, this.stage.manifest.decor_anchors.length));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    this.#rows.set(kind, r = { mesh, ids: [] });
    return r;
  }
}

/** Returns the height of a falling trophy that bounces twice: 1 at the start, 0 on the board. */
export function height(t: number): number {
  if (t < 0.4) return 1 - (t / 0.4) ** 2;
  const bounce = (from: number, to: number, high: number) => (t < from || t > to ? 0 : high * (1 - ((2 * t - from - to) / (to - from)) ** 2));
  return bounce(0.4, 0.75, 0.16) + bounce(0.75, 1, 0.05);
}

export function trophyGeometry(kind: TrophyKind, shapes: Shapes): BufferGeometry {
  const o = new Solid();
  switch (kind) {
    case 'star':
      o.add(shapes.box(0.13, 0.05, 0.13, 0.01), paint.base, { p: [0, 0.025, 0] }).add(shapes.cylinder(0.018, 0.03, 0.08, 0.004, 8), paint.gold, { p: [0, 0.05, 0] });
      for (let i = 0; i < 5; i++) { const a = (i / 5) * Math.PI * 2; o.add(shapes.pyramid(0.055, 0.13), paint.gold, { p: [Math.sin(a) * 0.075, 0.24 + Math.cos(a) * 0.075, 0], r: [0, 0, -a], s: [1, 1, 0.5], ao: 0.05 }); }
      o.add(shapes.gem(0.07), paint.gold, { p: [0, 0.24, 0], s: [1, 1, 0.7], ao: 0 });
      break;
    case 'globe':
      o.add(shapes.cylinder(0.06, 0.09, 0.06, 0.01, 12), paint.gold, {}).add(shapes.sphere(0.12, 16, 12), paint.sea, { p: [0, 0.19, 0], ao: 0.1 });
      o.add(shapes.ico(0.085, 0), paint.land, { p: [0.045, 0.21, 0.055] }).add(shapes.ico(0.06, 0), paint.land, { p: [-0.06, 0.16, 0.06] }).add(shapes.ring(0.14, 0.009, 5, 18, Math.PI), paint.gold, { p: [0, 0.19, 0], r: [0, 0, -Math.PI / 2] });
      break;
    case 'espresso_machine':
      o.add(shapes.box(0.2, 0.18, 0.15, 0.03), paint.red, { p: [0, 0.09, 0] }).add(shapes.box(0.205, 0.05, 0.18, 0.015), paint.chrome, { p: [0, 0.195, 0] });
      o.add(shapes.cylinder(0.02, 0.026, 0.04, 0.004, 8), paint.chrome, { p: [0, 0.085, 0.09] }).add(shapes.cylinder(0.032, 0.024, 0.045, 0.006, 10), paint.silver, { p: [0, 0.004, 0.095] }).add(shapes.box(0.12, 0.012, 0.07, 0.004), paint.chrome, { p: [0, 0.004, 0.1] });
      break;
    default: {
      const metal = kind === 'cup_gold' ? paint.gold : kind === 'cup_silver' ? paint.silver : paint.bronze;
      o.add(shapes.box(0.16, 0.07, 0.16, 0.01), paint.base, { p: [0, 0.035, 0] });
      o.add(shapes.turned([[0, 0.3, 0, 1], [0.075, 0.335, 0, 1], [0.09, 0.34, 1, 0.3], [0.085, 0.26, 1, -0.1], [0.03, 0.17, 1, -1], [0.018, 0.12, 1, 0], [0.06, 0.075, 0.5, 1], [0.065, 0.065, 1, 0]], 16), metal, { ao: 0.1 });
      for (const side of [-1, 1]) o.add(shapes.ring(0.045, 0.011, 5, 12), metal, { p: [side * 0.1, 0.27, 0], ao: 0 });
      o.add(shapes.gem(0.025), metal, { p: [0, 0.12, 0.06], ao: 0 });
    }
  }
  return o.geometry();
}
