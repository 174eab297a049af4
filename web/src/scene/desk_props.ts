import { effect } from '@preact/signals';
import { type BufferGeometry, Group, InstancedMesh, type Material, Matrix4, MeshBasicMaterial, type Raycaster, Sphere, Vector3 } from 'three';
import { LINE_COMPACTING } from '../contracts/limits.gen.ts';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import { screens } from '../look/palette.ts';
import type { DeskFacts } from '../world/desk_facts.ts';
import type { AgentView } from '../world/store.ts';
import type { RoomDeps } from './deps.ts';
import { beaconGeometry, binGeometry, boardGeometry, paperGeometry, signGeometry } from './desk_kinds.ts';
import { DeskOwners, desksOf, screenOf, type Desk } from './desk_places.ts';
import { Quads, sheetLight } from './desk_quads.ts';
import { firstMonitor } from './furniture/desk.ts';
import { screenIn } from './furniture/small.ts';
import type { Hit, Layer, Stage } from './layer.ts';
import { castOf } from './people_cast.ts';
import { pictureOf } from './screen_picture.ts';
import { Shapes } from './shapes.ts';

/** The maximum number of desks with props; the desks nearest to the camera have them. */
const maxDesks = 48;
/** The shortest time between two updates, in ms. */
const updateInterval = 400;

/** Positions relative to a desk: the board's pole and the bin. `list` is the height of the to-do list on the pole. */
const at = { board: [-0.62, 0.66, -0.35], bin: [0.62, 0, 0.62], list: 0.44 } as const;
const list = { w: 0.34, h: 0.34 * 160 / 256 } as const;

type Kind = 'board' | 'bin' | 'paper' | 'beacon' | 'sign';

/** Returns the text for a working agent's monitor; empty if there is none. */
export function screenLine(facts: DeskFacts | undefined, view: AgentView): string {
  // The emoji before a tool's label is drawn as a colour instead.
  return (facts?.line ?? view.status_line ?? '').replace(/^[\p{Extended_Pictographic}\uFE0F\s]+/u, '');
}

/**
 * Draws the recorded facts about an agent on its desk: the tool call on its monitor, its to-do list on a board, a
 * bin that fills as its conversation grows (an estimate, see fullness), a red lamp after a failed call, and a sign
 * while it summarizes its conversation. Facts that are not recorded are not drawn. Each kind takes one draw call;
 * all the text takes one more.
 */
export function createDeskProps(stage: Stage, deps: RoomDeps): Layer {
  return new DeskProps(stage, deps);
}

class DeskProps implements Layer {
  readonly group = new Group();
  readonly #kinds: Record<Kind, InstancedMesh>;
  readonly #materials: Material[];
  readonly #quads: Quads | null;
  readonly #owners = new DeskOwners();
  readonly #stop: () => void;
  readonly #m = new Matrix4();
  #hits: { id: string; pos: Vec3; r: number }[] = [];
  #placed: unknown = null;
  #desks: ReadonlyMap<string, Desk> = new Map();
  #dirty = true;
  #last = -Infinity;

  constructor(readonly stage: Stage, readonly deps: RoomDeps) {
    const shapes = new Shapes(stage.quality.fine), lit = stage.material({ vertexColors: true, roughness: 0.8 }), bright = new MeshBasicMaterial({ vertexColors: true });
    this.#materials = [lit, bright];
    const kind = (geometry: BufferGeometry, material: Material) => {
      const mesh = new InstancedMesh(geometry, material, maxDesks);
      Object.assign(mesh, { receiveShadow: true, frustumCulled: false, count: 0 });
      this.group.add(mesh);
      return mesh;
    };
    this.#kinds = { board: kind(boardGeometry(shapes, list), lit), bin: kind(binGeometry(shapes), lit), paper: kind(paperGeometry(shapes), lit), beacon: kind(beaconGeometry(shapes), bright), sign: kind(signGeometry(shapes, list), lit) };
    this.#quads = stage.quality.tier === 'high' ? new Quads(maxDesks * 3) : null;
    if (this.#quads) this.group.add(this.#quads.mesh);
    this.#stop = effect(() => {
      void [deps.store.desks.value, deps.store.agents.value, deps.store.campus.value];
      this.#dirty = true;
      stage.invalidate();
    });
  }

  update(now: number): boolean {
    this.group.visible = !this.stage.distant;
    const due = now - this.#last >= updateInterval || now < this.#last;
    if (!due) return this.#dirty;
    this.#dirty = false;
    this.#last = now;
    if (this.group.visible) this.#list();
    return false;
  }

  pick(ray: Raycaster): Hit[] {
    const ball = new Sphere(), point = new Vector3();
    return this.#hits.flatMap(({ id, pos, r }) => {
      ball.set(ball.center.set(...pos), r);
      return ray.ray.intersectSphere(ball, point) ? [{ ref: { kind: 'agent' as const, id }, distance: ray.ray.origin.distanceTo(point), point: point.clone(), aside: true as const }] : [];
    });
  }

  dispose(): void {
    this.#stop();
    for (const mesh of Object.values(this.#kinds)) { mesh.geometry.dispose(); mesh.dispose(); }
    for (const m of this.#materials) m.dispose();
    this.#quads?.dispose();
  }

  #list(): void {
    const { store } = this.deps, placed = store.campus.peek(), facts = store.desks.peek(), eye = this.stage.camera.position;
    if (placed !== this.#placed) { this.#placed = placed; this.#desks = desksOf(placed); }
    const far = (d: Desk) => { const [x, , z] = d.at(0, 0, 0); return Math.hypot(x - eye.x, z - eye.z); };
    const owned = [...this.#owners.update(store.agents.peek(), this.#desks)].map(([poi, view]) => ({ poi, view, desk: this.#desks.get(poi)! }));
    if (owned.length > maxDesks) owned.sort((a, b) => far(a.desk) - far(b.desk)).length = maxDesks;
    for (const mesh of Object.values(this.#kinds)) mesh.count = 0;
    this.#hits = [];
    this.#quads?.begin();
    for (const { poi, view, desk } of owned) {
      this.#screen(poi, view, desk, facts.get(view.agent_id));
      const own = facts.get(view.agent_id);
      if (own) this.#props(view.agent_id, own, desk);
    }
    for (const mesh of Object.values(this.#kinds)) {
      mesh.visible = mesh.count > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.#quads?.end();
  }

  /** Shows an agent's work on the monitor while the agent is sitting at the desk and working. */
  #screen(poi: string, view: AgentView, desk: Desk, facts: DeskFacts | undefined): void {
    const p = castOf(this.stage).byId.get(view.agent_id), here = (view.motion?.goal.poi_id ?? view.goal?.poi_id) === poi;
    if (!this.#quads || !p || !here || p.moving || (p.pose !== 'type' && p.pose !== 'read' && p.pose !== 'think')) return;
    const line = screenLine(facts, view);
    if (line === '') return;
    const { kind, light } = pictureOf(p.pose, view, this.deps.store.tasks.peek().find(t => t.task_id === view.task_id)?.kind), s = screenOf(desk, screenIn.rim, screenIn.up, screenIn.front);
    this.#quads.add(`${view.agent_id} screen`, { kind: 'screen', line, color: screens[kind].lines[0]! }, s, light);
  }

  #props(id: string, { todos, contextFill, failed, compacting }: DeskFacts, desk: Desk): void {
    const paper = sheetLight(this.stage.night), top = this.#monitorTop(desk);
    const both = (key: string, cell: Parameters<Quads['add']>[1], pos: Vec3, size: { w: number; h: number }) => {
      for (const side of [0, Math.PI]) {
        const turn = desk.turn + side, off = 0.014;
        this.#quads?.add(`${id} ${key}`, cell, { pos: [pos[0] + Math.sin(turn) * off, pos[1], pos[2] + Math.cos(turn) * off], ...size, turn }, paper);
      }
    };
    if (todos) {
      const pos = desk.at(...at.board);
      this.#put('board', pos, desk.turn, id, [pos[0], pos[1] + at.list, pos[2]], 0.2);
      both('todos', { kind: 'todos', todos }, [pos[0], pos[1] + at.list, pos[2]], list);
    }
    if (contextFill !== undefined) {
      const pos = desk.at(...at.bin);
      this.#put('bin', pos, desk.turn, id, [pos[0], 0.15, pos[2]], 0.18);
      this.#put('paper', [pos[0], 0.05 + 0.24 * contextFill, pos[2]], desk.turn);
    }
    if (failed !== undefined) this.#put('beacon', [top[0], top[1], top[2]], desk.turn, id, top, 0.12);
    if (compacting) {
      const pos: Vec3 = [top[0], top[1] + 0.13, top[2]];
      this.#put('sign', pos, desk.turn, id, pos, 0.2);
      both('sign', { kind: 'sign', text: LINE_COMPACTING }, pos, list);
    }
  }

  /** Returns the point on top of a desk's first monitor. */
  #monitorTop(desk: Desk): Vec3 {
    const m = firstMonitor(desk.wide);
    return desk.at(m.x, m.y + screenIn.up + m.h, m.z);
  }

  #put(kind: Kind, pos: Vec3, turn: number, id?: string, hit?: Vec3, r = 0): void {
    const mesh = this.#kinds[kind];
    if (mesh.count >= maxDesks) return;
    mesh.setMatrixAt(mesh.count++, this.#m.makeRotationY(turn).setPosition(...pos));
    if (id !== undefined && hit) this.#hits.push({ id, pos: hit, r });
  }
}
