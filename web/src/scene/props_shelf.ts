import { CanvasTexture, Color, Euler, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry, Quaternion, type Raycaster, SRGBColorSpace, Vector3, type Material } from 'three';
import type { Artifact, SceneObject, Task, Verdict } from '../contracts/protocol.gen.ts';
import { cardColors, focusColors, kindColor, solidShade } from '../look/marks.ts';
import { verdictOn } from '../world/verdict.ts';
import type { Bursts } from './burst.ts';
import type { Hit, Stage } from './layer.ts';
import { BoxLabels } from './props_labels.ts';
import { boxHeight, onShelf, shelve, type Spot } from './props_place.ts';
import { Solid } from './props_solid.ts';
import { Shapes } from './shapes.ts';

/** How long a new box takes to land and a reviewed box to leave, in ms. */
const landing = 420;
const leaving = 1700;
const maxBoxes = 64;

interface Box { spot: Spot; color: string; since: number; leftAt: number; verdict?: Verdict | undefined }

const m4 = new Matrix4(), q = new Quaternion(), e = new Euler(), v = new Vector3(), s = new Vector3(), paint = new Color();

/**
 * The boxes on the delivery shelf, one per waiting artifact, each with the verdict on its files. Once approved, a box
 * is stamped and flies off.
 */
export class ShelfBoxes {
  readonly group = new Group();
  readonly #mesh: InstancedMesh;
  readonly #stamp: Mesh<PlaneGeometry, MeshBasicMaterial>;
  readonly #more: Mesh<PlaneGeometry, MeshBasicMaterial>;
  readonly #labels: BoxLabels;
  readonly #boxes = new Map<string, Box>();
  #rows: readonly Artifact[] | null = null;
  #tasks: readonly Task[] | null = null;
  #order: string[] = [];
  #moving = false;
  #drawn = '';

  constructor(readonly stage: Stage, readonly shelf: SceneObject, readonly bursts: Bursts) {
    const shapes = new Shapes(stage.quality.fine), [body, tape] = solidShade;
    const g = new Solid()
      .add(shapes.box(0.4, boxHeight, 0.32, 0.014), body, { p: [0, boxHeight / 2, 0], ao: 0.2 })
      .add(shapes.box(0.075, boxHeight + 0.006, 0.326, 0.008), tape, { p: [0, boxHeight / 2, 0], ao: 0 })
      .add(shapes.box(0.12, 0.08, 0.006, 0), tape, { p: [0.11, boxHeight * 0.55, 0.162], ao: 0 })
      .geometry();
    this.#mesh = new InstancedMesh(g, stage.material({ vertexColors: true, roughness: 0.9 }), maxBoxes);
    this.#mesh.count = 0;
    this.#mesh.castShadow = this.#mesh.receiveShadow = true;
    this.#mesh.frustumCulled = false;
    this.#stamp = new Mesh(new PlaneGeometry(0.3, 0.3), new MeshBasicMaterial({ map: drawTexture(128, 128, drawStamp), transparent: true, depthWrite: false }));
    this.#more = new Mesh(new PlaneGeometry(0.42, 0.2), new MeshBasicMaterial({ transparent: true }));
    this.#stamp.visible = this.#more.visible = false;
    this.#stamp.renderOrder = 4;
    this.#labels = new BoxLabels(maxBoxes, () => stage.invalidate());
    this.group.add(this.#mesh, this.#labels.mesh, this.#stamp, this.#more);
  }

  /** Updates the boxes from the artifacts and their tasks; returns true while boxes are moving. */
  update(rows: readonly Artifact[], tasks: readonly Task[], now: number): boolean {
    const same = rows === this.#rows;
    if (!same) this.#syncBoxes(rows, now);
    if (!same || tasks !== this.#tasks) this.#judge(rows, tasks);
    this.#labels.light(this.stage.night);
    if (!this.#moving) return false;
    return this.#draw(now);
  }

  pick(ray: Raycaster): Hit[] {
    return ray.intersectObject(this.#mesh, false).slice(0, 1).flatMap(h => {
      const id = h.instanceId === undefined ? undefined : this.#order[h.instanceId];
      return id ? [{ ref: { kind: 'artifact' as const, id }, distance: h.distance, point: h.point }] : [];
    });
  }

  dispose(): void {
    this.#labels.dispose();
    for (const m of [this.#mesh, this.#stamp, this.#more]) { m.geometry.dispose(); (m.material as Material).dispose(); }
    this.#mesh.dispose();
    this.#stamp.material.map?.dispose();
    this.#more.material.map?.dispose();
  }

  #syncBoxes(rows: readonly Artifact[], now: number): void {
    const first = this.#rows === null, byId = new Map(rows.map(a => [a.artifact_id, a]));
    this.#rows = rows;
    const waiting = rows.filter(onShelf).toReversed();
    const { boxes, more, morePos } = shelve(this.shelf, waiting.map(a => a.artifact_id));
    const kept = new Set(boxes.map(b => b.id));
    for (const spot of boxes) {
      const was = this.#boxes.get(spot.id);
      if (was) was.spot = spot;
      else this.#boxes.set(spot.id, { spot, color: kindColor(byId.get(spot.id)!.type), since: first ? -Infinity : now, leftAt: 0 });
    }
    for (const [id, box] of this.#boxes) {
      if (kept.has(id) || box.leftAt > 0) continue;
      if (byId.get(id)?.status === 'approved' && !this.stage.still) box.leftAt = now; else this.#boxes.delete(id);
    }
    this.#count(more, morePos);
    this.#moving = true;
  }

  /** Labels the boxes with their verdicts. A box that leaves keeps its label. */
  #judge(rows: readonly Artifact[], tasks: readonly Task[]): void {
    const byId = new Map(tasks.map(t => [t.task_id, t]));
    this.#tasks = tasks;
    for (const a of rows) {
      const box = this.#boxes.get(a.artifact_id), verdict = verdictOn(a, byId.get(a.task_id ?? ''));
      if (!box || box.leftAt > 0 || box.verdict === verdict) continue;
      box.verdict = verdict;
      this.#moving = true;
    }
  }

  #draw(now: number): boolean {
    let i = 0, busy = false;
    this.#labels.begin();
    this.#order = [];
    this.#stamp.visible = false;
    for (const [id, box] of this.#boxes) {
      const t = box.leftAt > 0 ? (now - box.leftAt) / leaving : 0;
      if (t >= 1) { this.#boxes.delete(id); this.bursts.fire(box.spot.pos[0], box.spot.pos[1] + 1.1, box.spot.pos[2] + 0.35, [focusColors.column, focusColors.drop], now / 1000); continue; }
      const fall = this.stage.still ? 1 : Math.min(1, (now - box.since) / landing);
      busy ||= fall < 1 || box.leftAt > 0;
      if (i < maxBoxes) this.#put(i++, id, box, fall, t);
    }
    this.#labels.end();
    this.#mesh.count = i;
    this.#mesh.instanceMatrix.needsUpdate = true;
    if (this.#mesh.instanceColor) this.#mesh.instanceColor.needsUpdate = true;
    this.#mesh.computeBoundingSphere();
    this.stage.castersMoved();
    return this.#moving = busy;
  }

  #put(i: number, id: string, box: Box, fall: number, t: number): void {
    const { pos, turn, size } = box.spot, sin = Math.sin(this.shelf.rotation_y), cos = Math.cos(this.shelf.rotation_y);
    // A new box comes from above and in front; a reviewed box is stamped and pulled forward, then flies
    // up.
    const rise = t > 0.45 ? ((t - 0.45) / 0.55) ** 2 : 0, out = (1 - fall) * 0.35 + (t > 0.25 ? Math.min(1, (t - 0.25) / 0.25) * 0.34 : 0);
    v.set(pos[0] + sin * out, pos[1] + (1 - fall) ** 2 * 0.3 + rise * 1.2, pos[2] + cos * out);
    const k = size * (1 - rise * 0.75) * (0.7 + 0.3 * fall);
    this.#mesh.setMatrixAt(i, m4.compose(v, q.setFromEuler(e.set(0, turn + rise * 1.4, 0)), s.set(k, k, k)));
    this.#mesh.setColorAt(i, paint.set(box.color));
    if (box.verdict) this.#labels.add(m4, box.verdict);
    this.#order[i] = id;
    if (t <= 0) return;
    const slam = Math.min(1, t / 0.12), grow = (2.4 - 1.4 * slam) * size * (1 - rise * 0.75);
    this.#stamp.visible = true;
    this.#stamp.position.set(v.x + sin * 0.17, v.y + boxHeight * 0.5 * k, v.z + cos * 0.17 + 0.005);
    this.#stamp.rotation.set(0, turn + rise * 1.4, -0.22);
    this.#stamp.scale.setScalar(grow);
    this.#stamp.material.opacity = slam;
  }

  #count(more: number, at: readonly [number, number, number]): void {
    this.#more.visible = more > 0;
    const text = `+${more}`;
    if (more === 0 || text === this.#drawn) return;
    this.#drawn = text;
    this.#more.material.map?.dispose();
    this.#more.material.map = drawTexture(128, 64, c => drawBadge(c, text));
    this.#more.material.needsUpdate = true;
    this.#more.position.set(...at);
    this.#more.rotation.y = this.shelf.rotation_y;
  }
}

function drawTexture(w: number, h: number, draw: (c: CanvasRenderingContext2D) => void): CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = w;
  canvas.height = h;
  const c = canvas.getContext('2d');
  if (c) draw(c);
  const t = new CanvasTexture(canvas);
  t.colorSpace = SRGBColorSpace;
  return t;
}

function drawStamp(c: CanvasRenderingContext2D): void {
  c.strokeStyle = c.fillStyle = cardColors.stamp;
  c.lineWidth = 9;
  c.beginPath();
  c.arc(64, 64, 54, 0, Math.PI * 2);
  c.fillStyle = cardColors.paper;
  c.fill();
  c.stroke();
  c.lineWidth = 15;
  c.lineCap = c.lineJoin = 'round';
  c.beginPath();
  c.moveTo(38, 66);
  c.lineTo(57, 86);
  c.lineTo(92, 44);
  c.stroke();
}

function drawBadge(c: CanvasRenderingContext2D, text: string): void {
  c.fillStyle = cardColors.paper;
  c.beginPath();
  c.roundRect(2, 2, 124, 60, 30);
  c.fill();
  c.fillStyle = cardColors.ink;
  c.font = '800 36px sans-serif';
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  c.fillText(text, 64, 34);
}
