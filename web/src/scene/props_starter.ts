import { type BufferGeometry, Color, Euler, Group, InstancedMesh, Matrix4, Quaternion, Vector3 } from 'three';
import type { Artifact, Decor, SceneManifest, SceneObject, Task, Vec3 } from '../contracts/protocol.gen.ts';
import { starterColors, tintShade } from '../look/marks.ts';
import type { Stage } from './layer.ts';
import { laneOf, onShelf, pin, shelve, standTrophies } from './props_place.ts';
import { Solid } from './props_solid.ts';
import { Shapes } from './shapes.ts';

/** A spot of starter decor. */
interface Spot { pos: Vec3; turn: number; tint: string }
/** Which real rows there are: starter decor gives way to them. */
export interface RealRows { tasks: readonly Task[]; artifacts: readonly Artifact[]; decor: readonly Decor[] }

/** Holes of the shelf that hold presents until boxes come, counted in the order in which boxes fill them. */
const presentHoles = [3, 5, 6, 8];
/** As many peg dolls stand on the last places for trophies. */
const dolls = 4;

/** Where blank notes, presents and dolls are now. Notes hang while the board is empty; the others leave a place that a real row takes. */
export function starterSpots(m: SceneManifest, shelf: SceneObject | undefined, board: SceneObject | undefined, real: RealRows): { notes: Spot[]; presents: Spot[]; dolls: Spot[] } {
  const tint = (i: number) => starterColors[i % starterColors.length]!;
  const bare = !real.tasks.some(t => laneOf(t.status) !== null), boxes = real.artifacts.filter(onShelf).length;
  const blank = (['planned', 'planned', 'planned', 'in_progress', 'in_progress', 'review', 'done', 'done'] as const).map((status, i): Task => ({ task_id: `starter_${i}`, project_id: '', title: '', status }));
  const holes = shelf ? shelve(shelf, Array.from({ length: 9 }, (_, i) => `starter_${i}`)).boxes : [];
  const taken = new Set(standTrophies(m, real.decor).map(t => t.pos.join()));
  return {
    notes: bare && board ? pin(board, blank).map((c, i) => ({ pos: c.pos, turn: c.turn, tint: tint(i) })) : [],
    presents: presentHoles.flatMap((hole, i) => (holes[hole] && boxes <= hole ? [{ pos: holes[hole].pos, turn: holes[hole].turn, tint: tint(i + 1) }] : [])),
    dolls: m.decor_anchors.slice(-dolls).flatMap((a, i) => (taken.has(a.pos.join()) ? [] : [{ pos: a.pos, turn: a.rotation_y ?? 0, tint: tint(i + 2) }])),
  };
}

const m4 = new Matrix4(), q = new Quaternion(), e = new Euler(), v = new Vector3(), one = new Vector3(1, 1, 1), paint = new Color();

/** Blank notes, ribboned presents and peg dolls: the office does not begin bare, and none of it looks like work. Nothing of it can be pointed at. */
export class Starter {
  readonly group = new Group();
  readonly #kinds: Record<'notes' | 'presents' | 'dolls', InstancedMesh>;
  #real: RealRows | null = null;
  #hidden = false;

  constructor(readonly stage: Stage, readonly shelf: SceneObject | undefined, readonly board: SceneObject | undefined) {
    const shapes = new Shapes(stage.quality.fine), material = stage.material({ vertexColors: true, roughness: 0.9 });
    const mesh = (g: BufferGeometry) => {
      const made = new InstancedMesh(g, material, 16);
      made.castShadow = made.receiveShadow = true;
      made.frustumCulled = false;
      made.count = 0;
      this.group.add(made);
      return made;
    };
    this.#kinds = { notes: mesh(noteOf(shapes)), presents: mesh(presentOf(shapes)), dolls: mesh(dollOf(shapes)) };
  }

  update(real: RealRows): void {
    const hidden = this.stage.hidden.back, was = this.#real;
    if (was?.tasks === real.tasks && was.artifacts === real.artifacts && was.decor === real.decor && hidden === this.#hidden) return;
    this.#real = real;
    this.#hidden = hidden;
    const spots = starterSpots(this.stage.manifest, this.shelf, this.board, real);
    for (const kind of ['notes', 'presents', 'dolls'] as const) this.#put(this.#kinds[kind], hidden && kind !== 'presents' ? [] : spots[kind]);
    this.stage.castersMoved();
  }

  #put(mesh: InstancedMesh, spots: readonly Spot[]): void {
    mesh.count = spots.length;
    mesh.visible = spots.length > 0;
    for (const [i, s] of spots.entries()) {
      mesh.setMatrixAt(i, m4.compose(v.set(...s.pos), q.setFromEuler(e.set(0, s.turn, 0)), one));
      mesh.setColorAt(i, paint.set(s.tint));
    }
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of Object.values(this.#kinds)) { mesh.geometry.dispose(); mesh.dispose(); }
    (this.#kinds.notes.material as { dispose(): void }).dispose();
  }
}

const [light, mid, dim] = tintShade;

/** A small square note with a pin: nothing is written on it. */
const noteOf = (shapes: Shapes): BufferGeometry => new Solid()
  .add(shapes.box(0.15, 0.15, 0.006, 0.002), light, { p: [0, 0, 0], ao: 0.04, shadeless: true })
  .add(shapes.sphere(0.014, 8, 6), dim, { p: [0, 0.055, 0.01], ao: 0, shadeless: true }).geometry();

/** Wrapped, with a ribbon and a bow: deliveries are plain boxes with tape. */
const presentOf = (shapes: Shapes): BufferGeometry => new Solid()
  .add(shapes.box(0.24, 0.2, 0.22, 0.02), mid, { p: [0, 0.1, 0], ao: 0.15 })
  .add(shapes.box(0.045, 0.206, 0.226, 0.006), light, { p: [0, 0.1, 0], ao: 0 })
  .add(shapes.box(0.246, 0.206, 0.045, 0.006), light, { p: [0, 0.1, 0], ao: 0 })
  .add(shapes.ring(0.04, 0.014, 5, 12), light, { p: [-0.045, 0.235, 0], r: [0, 0, 0.5], ao: 0 })
  .add(shapes.ring(0.04, 0.014, 5, 12), light, { p: [0.045, 0.235, 0], r: [0, 0, -0.5], ao: 0 }).geometry();

/** A wooden peg doll. */
const dollOf = (shapes: Shapes): BufferGeometry => new Solid()
  .add(shapes.turned([[0, 0.13, 0, 1], [0.032, 0.125, 0.6, 0.8], [0.048, 0.07, 1, 0.1], [0.052, 0.004, 1, 0]], 14), mid, { ao: 0.15 })
  .add(shapes.sphere(0.04, 14, 10), light, { p: [0, 0.16, 0], ao: 0.05 }).geometry();
