import { BufferGeometry, type Material, Mesh } from 'three';
import type { Artifact, Decor, SceneManifest, SceneObject, Task, Vec3 } from '../contracts/protocol.gen.ts';
import { starterColors, starterPaint } from '../look/marks.ts';
import type { Place } from './batch.ts';
import type { Stage } from './layer.ts';
import { laneOf, onShelf, pin, shelve, standTrophies } from './props_place.ts';
import { Solid } from './props_solid.ts';
import { Shapes } from './shapes.ts';

/** The place and colour of one piece of starter decor. */
interface Spot { pos: Vec3; turn: number; tint: string }
/** The office's real work, which replaces starter decor. */
export interface RealRows { tasks: readonly Task[]; artifacts: readonly Artifact[]; decor: readonly Decor[] }

/** The shelf compartments with presents, numbered in the order in which boxes fill them. */
const presentHoles = [3, 5, 6, 8];
/** The number of peg dolls, which stand in the last places for trophies. */
const dolls = 4;

/**
 * Returns where blank notes, presents, dolls and plinths are now. Notes hang only while the board is empty; a present,
 * doll or plinth disappears when a box or trophy takes its place.
 */
export function starterSpots(m: SceneManifest, shelf: SceneObject | undefined, board: SceneObject | undefined, real: RealRows): { notes: Spot[]; presents: Spot[]; dolls: Spot[]; plinths: Spot[] } {
  const tint = (i: number) => starterColors[i % starterColors.length]!;
  const bare = !real.tasks.some(t => laneOf(t.status) !== null), boxes = real.artifacts.filter(onShelf).length;
  const blank = (['planned', 'planned', 'planned', 'in_progress', 'in_progress', 'review', 'done', 'done'] as const).map((status, i): Task => ({ task_id: `starter_${i}`, project_id: '', title: '', status }));
  const holes = shelf ? shelve(shelf, Array.from({ length: 9 }, (_, i) => `starter_${i}`)).boxes : [];
  const taken = new Set(standTrophies(m, real.decor).map(t => t.pos.join())), first = m.decor_anchors.length - dolls;
  const free = m.decor_anchors.map((a, n) => ({ n, pos: a.pos, turn: a.rotation_y ?? 0, tint: starterPaint.plinth })).filter(s => !taken.has(s.pos.join()));
  return {
    notes: bare && board ? pin(board, blank).map((c, i) => ({ pos: c.pos, turn: c.turn, tint: tint(i) })) : [],
    presents: presentHoles.flatMap((hole, i) => (holes[hole] && boxes <= hole ? [{ pos: holes[hole].pos, turn: holes[hole].turn, tint: tint(i + 1) }] : [])),
    dolls: free.filter(s => s.n >= first).map(s => ({ ...s, tint: tint(s.n - first + 2) })),
    plinths: free.filter(s => s.n < first),
  };
}

/**
 * Blank notes, ribboned presents, peg dolls and empty plinths, so that a new office is not bare. None of
 * them looks like work, and none can be selected. They are one mesh with the furniture's
 * material, so they need no shader of their own.
 */
export class Starter {
  readonly mesh: Mesh<BufferGeometry, Material>;
  readonly #shapes: Shapes;
  #real: RealRows | null = null;
  #hidden = false;

  constructor(
    readonly stage: Stage,
    readonly shelf: SceneObject | undefined,
    readonly board: SceneObject | undefined,
  ) {
    this.#shapes = new Shapes(stage.quality.fine);
    this.mesh = new Mesh(new BufferGeometry(), stage.material({ vertexColors: true, roughness: 0.9 }));
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }

  update(real: RealRows): void {
    const hidden = this.stage.hidden.back, was = this.#real;
    if (was?.tasks === real.tasks && was.artifacts === real.artifacts && was.decor === real.decor && hidden === this.#hidden) return;
    this.#real = real;
    this.#hidden = hidden;
    const { notes, presents, dolls, plinths } = starterSpots(this.stage.manifest, this.shelf, this.board, real), solid = new Solid();
    for (const spot of presents) present(solid, this.#shapes, spot);
    for (const spot of hidden ? [] : notes) note(solid, this.#shapes, spot);
    for (const spot of hidden ? [] : dolls) doll(solid, this.#shapes, spot);
    for (const spot of hidden ? [] : plinths) plinth(solid, this.#shapes, spot);
    this.mesh.geometry.dispose();
    this.mesh.geometry = solid.geometry();
    this.mesh.visible = presents.length + (hidden ? 0 : notes.length + dolls.length + plinths.length) > 0;
    this.stage.castersMoved();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** Converts a position relative to a spot into a place in the room. */
const at = ({ pos, turn }: Spot, x: number, y: number, z: number, tilt = 0): Place => ({ p: [pos[0] + x * Math.cos(turn) + z * Math.sin(turn), pos[1] + y, pos[2] + z * Math.cos(turn) - x * Math.sin(turn)], r: [0, turn, tilt], ao: 0.06 });

/** Draws a small square note with a pin and no text. */
function note(o: Solid, shapes: Shapes, spot: Spot): void {
  o.add(shapes.box(0.15, 0.15, 0.006, 0.002), spot.tint, { ...at(spot, 0, 0, 0), shadeless: true });
  o.add(shapes.sphere(0.014, 8, 6), starterPaint.pin, { ...at(spot, 0, 0.055, 0.01), shadeless: true });
}

/** Draws a present with a ribbon and a bow; deliverables are plain boxes with tape. */
function present(o: Solid, shapes: Shapes, spot: Spot): void {
  o.add(shapes.box(0.24, 0.2, 0.22, 0.02), spot.tint, { ...at(spot, 0, 0.1, 0), ao: 0.15 });
  o.add(shapes.box(0.045, 0.206, 0.226, 0.006), starterPaint.ribbon, at(spot, 0, 0.1, 0));
  o.add(shapes.box(0.246, 0.206, 0.045, 0.006), starterPaint.ribbon, at(spot, 0, 0.1, 0));
  for (const side of [-1, 1]) o.add(shapes.ring(0.04, 0.014, 5, 12), starterPaint.ribbon, at(spot, side * 0.045, 0.235, 0, -side * 0.5));
}

/** Draws an empty plinth with a blank plate, where a trophy will stand. */
function plinth(o: Solid, shapes: Shapes, spot: Spot): void {
  o.add(shapes.box(0.18, 0.035, 0.16, 0.008), spot.tint, { ...at(spot, 0, 0.018, 0), ao: 0.2 });
  o.add(shapes.box(0.14, 0.05, 0.12, 0.008), spot.tint, { ...at(spot, 0, 0.06, 0), ao: 0.2 });
  o.add(shapes.box(0.08, 0.024, 0.006, 0), starterPaint.plate, { ...at(spot, 0, 0.06, 0.062), shadeless: true });
}

/** Draws a wooden peg doll. */
function doll(o: Solid, shapes: Shapes, spot: Spot): void {
  o.add(shapes.turned([[0, 0.13, 0, 1], [0.032, 0.125, 0.6, 0.8], [0.048, 0.07, 1, 0.1], [0.052, 0.004, 1, 0]], 14), spot.tint, { ...at(spot, 0, 0, 0), ao: 0.15 });
  o.add(shapes.sphere(0.04, 14, 10), starterPaint.wood, at(spot, 0, 0.16, 0));
}
