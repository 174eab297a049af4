import { effect } from '@preact/signals';
import { Color, Group, type Material, MeshDepthMaterial, type Raycaster, RGBADepthPacking } from 'three';
import type { Artifact } from '../contracts/protocol.gen.ts';
import { accessories, hairStyles } from '../look/identity.ts';
import { badgeColor, focusColors, kindColor } from '../look/marks.ts';
import type { AgentView } from '../world/store.ts';
import { Bursts } from './burst.ts';
import type { RoomDeps } from './deps.ts';
import { lightByMap } from './lampmap.ts';
import type { Hit, Layer, Stage } from './layer.ts';
import { Breath, type Doing } from './people_breath.ts';
import { castOf, type Person } from './people_cast.ts';
import { blobGeometry, blobMaterial, markerGeometry, markerMaterial, moteGeometry, moteMaterial, pillarGeometry, pillarMaterial, waveGeometry, waveMaterial } from './people_effects.ts';
import { InstanceList } from './people_instances.ts';
import { Leisure } from './people_leisure.ts';
import { Outline } from './people_outline.ts';
import { hitPeople, nearestAgent } from './people_pick.ts';
import type { Pose } from './people_pose.ts';
import { hopFor, isGone, stepPerson, type Moment } from './people_stepper.ts';
import { Threads } from './people_threads.ts';
import { CastUpdater } from './people_updater.ts';
import { accessoryGeometry, carriedBoxGeometry, lanyardGeometry } from './rig_accessory.ts';
import { bodyGeometry } from './rig_body.ts';
import { rigged } from './rig.ts';
import { hairGeometry } from './rig_hair.ts';
import { Screens } from './people_screens.ts';

/** Poses in which people move on the spot. */
const animated: ReadonlySet<Pose> = new Set<Pose>(['type', 'think', 'ask', 'meet', 'done']);
/** Poses that end by themselves when no more text arrives. */
const passing: ReadonlySet<Pose> = new Set<Pose>(['type', 'think']);

export interface People extends Layer {
  /** Returns the id of the crew member nearest to a point on the canvas, or null if none is near. */
  nearest(x: number, y: number): string | null;
}

/** Draws all agents at their positions for the current time, with their poses. */
export function createPeople(stage: Stage, deps: RoomDeps): People {
  return new Crowd(stage, deps);
}

class Crowd implements People {
  readonly group = new Group();
  readonly #stage: Stage;
  readonly #deps: RoomDeps;
  readonly #cast;
  readonly #updater: CastUpdater;
  readonly #body: InstanceList;
  readonly #worn: { instances: InstanceList; fits(p: Person): boolean }[] = [];
  readonly #boxes: InstanceList;
  readonly #leisure: Leisure;
  readonly #lanyards: InstanceList;
  readonly #threads: Threads;
  readonly #depth: Material;
  readonly #pillars: InstanceList;
  readonly #waves: InstanceList;
  readonly #motes: InstanceList;
  readonly #markers: InstanceList;
  readonly #blobs: InstanceList;
  readonly #outline: Outline;
  readonly #bursts = new Bursts();
  readonly #screens: Screens;
  readonly #breath = new Breath();
  readonly #doing: Doing = { alive: false, passing: false };
  readonly #stop: () => void;
  readonly #moment: Moment = { now: 0, dt: 0, still: false };
  readonly #poses: Pose[] = [];
  #agents: readonly AgentView[] | null = null;
  #shown: readonly AgentView[] | null = null;
  #streams: unknown = null;
  #version = -1;
  #began = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #artifacts: readonly Artifact[] | null = null;
  #statuses: ReadonlyMap<string, string> = new Map();

  constructor(stage: Stage, deps: RoomDeps) {
    this.#stage = stage;
    this.#deps = deps;
    const cast = this.#cast = castOf(stage), u = cast.uniforms;
    this.#updater = new CastUpdater(cast, stage);
    this.#screens = new Screens(stage, cast, id => deps.store.tasks.peek().find(t => t.task_id === id)?.kind);
    const lit = lightByMap(rigged(stage.material({ roughness: 0.82 }), u, { kind: 'lit' }), stage.lamps);
    const base = bodyGeometry();
    this.#body = new InstanceList(base, lit, false, cast.capacity);
    const depth = this.#depth = rigged(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), u, { kind: 'depth' });
    const wear = (instances: InstanceList, fits: (p: Person) => boolean) => { instances.mesh.receiveShadow = true; this.#worn.push({ instances, fits }); };
    for (const style of hairStyles) wear(new InstanceList(hairGeometry(style), lit), p => p.look.hairStyle === style);
    for (const a of accessories) { const g = accessoryGeometry(a); if (g) wear(new InstanceList(g, lit), p => p.look.accessory === a); }
    const tinted = lightByMap(rigged(stage.material({ roughness: 0.85 }), u, { kind: 'lit', boxes: true }), stage.lamps);
    this.#boxes = new InstanceList(carriedBoxGeometry(), tinted, true);
    this.#leisure = new Leisure(cast, stage, tinted);
    this.#lanyards = new InstanceList(lanyardGeometry(), tinted, true);
    this.#threads = new Threads(u);
    this.#pillars = new InstanceList(pillarGeometry(), pillarMaterial(u));
    this.#waves = new InstanceList(waveGeometry(), waveMaterial(u));
    this.#motes = new InstanceList(moteGeometry(), moteMaterial(u));
    this.#markers = new InstanceList(markerGeometry(), markerMaterial(u));
    this.#blobs = new InstanceList(blobGeometry(), blobMaterial(u), false, cast.capacity);
    for (const r of [this.#body, this.#boxes]) { r.mesh.castShadow = r.mesh.receiveShadow = true; r.mesh.customDepthMaterial = depth; }
    this.#blobs.mesh.renderOrder = 2;
    this.#waves.mesh.renderOrder = 3;
    this.#pillars.mesh.renderOrder = 6;
    this.#motes.mesh.renderOrder = this.#markers.mesh.renderOrder = 7;
    this.#outline = new Outline(cast, base);
    this.group.add(this.#body.mesh, ...this.#worn.map(w => w.instances.mesh), this.#boxes.mesh, ...this.#leisure.meshes, this.#lanyards.mesh, this.#threads.instances.mesh, this.#blobs.mesh, this.#waves.mesh, this.#pillars.mesh, this.#motes.mesh, this.#markers.mesh, this.#outline.group, this.#bursts.mesh);
    this.#stop = this.#listen();
  }

  update(now: number, dt: number): boolean {
    const { store } = this.#deps, m = this.#moment;
    if (this.#began === 0) this.#began = now;
    m.now = now; m.dt = Math.min(dt, 0.25); m.still = this.#stage.still;
    // The time is the same for every viewer, and restarts every hour because shaders use floats.
    this.#cast.uniforms.uTime.value = (now % 3_600_000) / 1000;
    this.#cast.uniforms.uMotion.value = m.still ? 0 : 1;
    const agents = store.agents.peek(), streams = store.streams.peek();
    if (agents !== this.#agents || this.#cast.version !== this.#version || this.#updater.stale) this.#updater.update(agents, streams, now);
    else if (streams !== this.#streams) this.#updater.updateStreams(streams);
    this.#agents = agents;
    this.#streams = streams;
    this.#cheer(now);
    this.#removeGone(m);
    this.#leisure.update(store.chats.peek(), now);
    const doing = this.#doing;
    let moved = false, going = false;
    doing.alive = doing.passing = false;
    for (const p of this.#cast.people) {
      if (stepPerson(this.#cast, p, m)) { moved = true; going ||= !p.settled; }
      doing.alive ||= animated.has(p.pose);
      // This does not apply to guests: a guest counts as working until there is other evidence.
      doing.passing ||= passing.has(p.pose) && !p.view?.source;
    }
    const changed = agents !== this.#shown;
    this.#shown = agents;
    this.#lists(changed);
    this.#focus();
    this.#body.plain(this.#stage.distant);
    this.#lanyards.mesh.visible = !this.#stage.distant && this.#lanyards.count > 0;
    if (moved) this.#stage.castersMoved();
    this.#cast.flush();
    const flying = this.#bursts.update(now / 1000 - this.#began / 1000);
    return this.#breathe(m) || going || flying;
  }

  pick(ray: Raycaster): Hit[] {
    return hitPeople(this.#cast, ray.ray, this.#stage.camera, this.#stage.size.height).map(h => ({ ref: { kind: h.person.kind, id: h.person.id }, distance: h.distance, point: h.point }));
  }

  nearest(x: number, y: number): string | null {
    return nearestAgent(this.#cast, x, y, p => this.#stage.project([p.x, 0.7, p.z]))?.id ?? null;
  }

  dispose(): void {
    this.#stop();
    clearTimeout(this.#timer);
    this.#threads.dispose();
    this.#leisure.dispose();
    for (const r of [this.#body, this.#boxes, this.#lanyards, this.#blobs, this.#pillars, this.#waves, this.#motes, this.#markers, ...this.#worn.map(w => w.instances)]) { r.mesh.material.dispose(); r.dispose(); }
    this.#depth.dispose();
    this.#outline.dispose();
    this.#bursts.dispose();
    this.#cast.dispose();
  }

  #listen(): () => void {
    const { store, focus } = this.#deps, canvas = this.#stage.renderer.domElement;
    const off = new AbortController(), listen = { signal: off.signal, passive: true };
    canvas.addEventListener('webglcontextrestored', () => this.#cast.restored(), listen);
    // Input wakes a resting room; a room that is awake draws anyway.
    const woken = () => { if (this.#breath.wake()) this.#stage.invalidate(); };
    for (const type of ['pointermove', 'pointerdown', 'wheel']) canvas.addEventListener(type, woken, listen);
    window.addEventListener('keydown', woken, listen);
    const stop = effect(() => {
      void store.agents.value; void store.streams.value; void store.artifacts.value; void store.tasks.value; void store.players.value; void store.decisions.value; void store.chats.value;
      void focus.selected.value; void focus.hovered.value; void focus.follow.value; void focus.drag.value;
      this.#breath.wake();
      this.#stage.invalidate();
    });
    return () => { stop(); off.abort(); };
  }

  /** Removes guests that have left and faded out. */
  #removeGone(m: Moment): void {
    for (let i = this.#cast.count - 1; i >= 0; i--) if (isGone(this.#cast.people[i]!, m)) this.#cast.remove(this.#cast.people[i]!);
  }

  /** Makes an agent jump when its artifact is approved. */
  #cheer(now: number): void {
    const rows = this.#deps.store.artifacts.peek(), before = this.#statuses;
    if (rows !== this.#artifacts) this.#statuses = new Map(rows.map(a => [a.artifact_id, a.status]));
    for (const a of rows === this.#artifacts ? [] : rows) {
      const was = before.get(a.artifact_id), p = a.created_by ? this.#cast.byId.get(a.created_by) : undefined;
      if (!p || a.status !== 'approved' || was === undefined || was === a.status) continue;
      p.hopAt = now;
      p.settled = false;
      if (!this.#stage.still) this.#bursts.fire(p.x, 1.35, p.z, [focusColors.column, focusColors.drop, focusColors.columnCore], (now - this.#began) / 1000);
    }
    this.#artifacts = rows;
    for (const p of this.#cast.people) if (p.hopAt > 0 && now - p.hopAt > hopFor) { p.hopAt = 0; p.settled = false; }
  }

  /** Updates screens and instance lists when agents, the cast or its poses change. */
  #lists(changed: boolean): void {
    const cast = this.#cast, people = cast.people;
    let posed = cast.version !== this.#version;
    for (let i = 0; i < people.length; i++) if (this.#poses[i] !== people[i]!.pose) { this.#poses[i] = people[i]!.pose; posed = true; }
    if (posed || changed) this.#screens.update();
    if (!posed) return;
    if (cast.version !== this.#version) {
      for (const r of [this.#body, this.#blobs]) { r.clear(); for (const p of people) r.add(p.index); r.show(); }
      for (const { instances, fits } of this.#worn) { instances.clear(); for (const p of people) if (fits(p)) instances.add(p.index); instances.show(); }
      this.#lanyards.clear();
      for (const p of people) if (p.view?.source) this.#lanyards.add(p.index, new Color(badgeColor(p.view.from)).toArray());
      this.#lanyards.show();
      this.#threads.list(cast);
      this.#version = cast.version;
      this.#poses.length = people.length;
    }
    for (const r of [this.#boxes, this.#pillars, this.#waves, this.#motes, this.#markers]) r.clear();
    for (const p of people) {
      if (p.pose === 'carry') this.#boxes.add(p.index, this.#boxTint(p));
      else if (p.pose === 'ask') { this.#pillars.add(p.index); this.#waves.add(p.index); this.#markers.add(p.index); }
      else if (p.pose === 'think') this.#motes.add(p.index);
    }
    for (const r of [this.#boxes, this.#pillars, this.#waves, this.#motes, this.#markers]) r.show();
  }

  #boxTint(p: Person): number[] {
    const task = p.view?.task_id ? this.#deps.store.tasks.peek().find(t => t.task_id === p.view!.task_id) : undefined;
    return new Color(kindColor(task?.kind)).toArray();
  }

  #focus(): void {
    const { focus } = this.#deps, drag = focus.drag.peek();
    const of = (ref: { kind: string; id: string } | null) => (ref && (ref.kind === 'agent' || ref.kind === 'player') ? this.#cast.byId.get(ref.id) ?? null : null);
    const chosen = of(focus.selected.peek());
    const dropOn = drag ? of({ kind: 'agent', id: drag.over ?? '' }) : null;
    this.#outline.update(dropOn ?? of(focus.hovered.peek()) ?? chosen, chosen, dropOn !== null);
  }

  /**
   * Keeps people breathing until the room rests. Returns true to request the next frame; otherwise, schedules a later
   * frame if one is needed.
   */
  #breathe(m: Moment): boolean {
    const wait = this.#cast.count === 0 ? null : this.#breath.next(m.now, this.#stage.quality.tier, m.still, this.#doing);
    // When the room comes to rest, everyone's eyes are open.
    this.#cast.uniforms.uBlink.value = wait !== null && this.#stage.quality.tier === 'high' && !m.still ? 1 : 0;
    if (wait) this.#timer ??= setTimeout(() => { this.#timer = undefined; this.#stage.invalidate(); }, wait);
    return wait === 0;
  }
}
