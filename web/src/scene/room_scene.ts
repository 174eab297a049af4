import { effect } from '@preact/signals';
import type { WebGLRenderer } from 'three';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { Attention } from './attention.ts';
import { createAvatar } from './avatar.ts';
import { CameraRig } from './camera.ts';
import { CampusHost } from './campus_host.ts';
import { createCats } from './cats.ts';
import { createClockHands } from './clock_hands.ts';
import type { RoomDeps } from './deps.ts';
import { createDeskProps } from './desk_props.ts';
import { createFinale } from './finale.ts';
import { createFurniture, type FurnitureLayer } from './furniture.ts';
import { listenRoom } from './room_input.ts';
import { createLabels } from './labels.ts';
import type { Layer } from './layer.ts';
import { createLight, type LightLayer } from './light.ts';
import { Loop } from './loop.ts';
import { nightFor, paintSky } from './night.ts';
import { createOcclusion, type OcclusionLayer } from './occlusion.ts';
import { buildOffice } from './office.ts';
import { createPeople } from './people.ts';
import { Picker } from './pick.ts';
import { Pointer } from './pointer.ts';
import { createProps } from './props.ts';
import { FrameTimer, type Chosen } from './quality.ts';
import { createShell } from './shell.ts';
import { RoomStage } from './stage.ts';
import { createSteam } from './steam.ts';

/** Cost figures of the room, for tests and the benchmark. */
export interface RoomInfo {
  tier: string; step: number; night: number;
  /** True once the shade in corners and under furniture has been drawn. */
  shaded: boolean;
  /** The number of studios that the scene contains. */
  studios: number; calls: number; triangles: number;
  /** The number of additional triangles in a frame that redraws shadows. */
  shadowTriangles: number; geometries: number; textures: number; programs: number;
  /** Script time in ms for building the office, and for the last frame. */
  buildMs: number; frameMs: number;
}

/** The interval at which the time of day is checked, in ms. */
const clockEvery = 20_000;
/** The longest time step of a frame, in seconds. */
const longest = 0.1;

/** One scene on the canvas: its camera, stage, layers and draw loop, built from a manifest. */
export class RoomScene {
  readonly rig: CameraRig;
  readonly stage: RoomStage;
  frames = 0;
  #loop: Loop;
  #layers: Layer[];
  #light: LightLayer;
  #furniture: FurnitureLayer;
  #occlusion: OcclusionLayer;
  #attention: Attention;
  #host: CampusHost | undefined;
  #pointer: Pointer;
  #frameTimer = new FrameTimer();
  #off: (() => void)[] = [];
  #manual: number | null = null;
  #lastNow = 0;
  #lastTime = 0;
  #buildMs: number;
  #frameMs = 0;
  #pinned: boolean;
  /** The cost of the last frame without new shadows and of the last frame with them. */
  #cost = { view: { calls: 0, triangles: 0 }, shadows: { calls: 0, triangles: 0 } };

  constructor(canvas: HTMLCanvasElement, labels: HTMLElement, readonly deps: RoomDeps, readonly renderer: WebGLRenderer, manifest: SceneManifest, chosen: Chosen, before?: CameraRig) {
    const began = performance.now();
    this.#loop = new Loop((time, first) => this.#frame(time, first), chosen.quality.frameGap);
    const stage = this.stage = new RoomStage(manifest, renderer, () => this.#loop.invalidate());
    stage.setQuality(chosen.quality);
    this.#watch(canvas, manifest);
    const kit = buildOffice(manifest, chosen.quality.fine);
    const occlusion = this.#occlusion = createOcclusion(stage, manifest.room, manifest.lighting.night, kit);
    this.#light = createLight(stage, kit);
    this.#furniture = createFurniture(stage, kit, occlusion);
    stage.setScreen = (poi, picture) => { this.#furniture.setScreen(poi, picture); this.#host?.campus?.setScreen(poi, picture); };
    stage.setLamp = (poi, on) => { this.#furniture.setLamp(poi, on); this.#light.setLamp(poi, on); };
    const people = createPeople(stage, deps);
    this.#layers = [this.#light, createShell(stage, kit, occlusion), this.#furniture, occlusion, createProps(stage, deps), people, createAvatar(stage, deps), createFinale(stage, deps, () => this.rig), createSteam(stage, kit), createClockHands(stage, deps), createCats(stage, deps), createDeskProps(stage, deps), createLabels(stage, labels, deps)];
    stage.scene.add(...this.#layers.map(l => l.group));

    this.rig = before ?? new CameraRig(manifest.ambience.camera, manifest.room, manifest.ambience.fov);
    this.#host = new CampusHost({ stage, rig: this.rig, light: this.#light, layers: this.#layers, labels, deps });
    this.#host.fit();
    this.#attention = new Attention(this.rig, stage, deps, () => this.#now(), id => this.#host?.show(id), () => { this.#host?.recentre(); this.#loop.invalidate(); });
    const pointer = this.#pointer = new Pointer(new Picker(stage, this.#layers), this.#attention, this.#layers, deps, canvas, (x, y) => people.nearest(x, y), () => this.#loop.invalidate());
    this.#off.push(
      listenRoom(canvas, this.rig, pointer), () => pointer.dispose(),
      effect(() => { void deps.focus.drag.value; pointer.updateDropTarget(); }),
      effect(() => { const { hovered, selected } = deps.focus, at = hovered.value?.kind === 'poi' ? hovered.value : selected.value?.kind === 'poi' ? selected.value : null; this.#furniture.outline(at?.id ?? null); this.#host?.campus?.outline(at?.id ?? null); }),
      effect(() => { void [deps.store.agents.value, deps.store.artifacts.value, deps.store.tasks.value, deps.store.decor.value, deps.store.players.value, deps.store.decisions.value, deps.store.streams.value, deps.focus.selected.value, deps.focus.drag.value, deps.focus.finale.value, deps.settings.labels.value]; this.#loop.invalidate(); }),
    );
    this.#pinned = chosen.pinned;
    this.#buildMs = performance.now() - began;
    this.#lastNow = this.#now();
    this.#loop.start();
  }

  /** Watches the size of the canvas, the time of day and the motion setting. */
  #watch(canvas: HTMLCanvasElement, manifest: SceneManifest): void {
    const { stage, deps } = this, resize = () => {
      stage.resize(canvas.clientWidth, canvas.clientHeight);
      this.#host?.fit();
    };
    const sizes = new ResizeObserver(resize), calm = matchMedia('(prefers-reduced-motion: reduce)');
    sizes.observe(canvas);
    resize();
    const hour = () => {
      const night = nightFor(deps.settings.theme.peek(), new Date(this.#now()));
      if (Math.abs(night - stage.night) < 0.002 && this.frames > 0) return;
      stage.night = night;
      paintSky(document.documentElement, manifest.ambience, night);
      this.#loop.invalidate();
    };
    const timer = setInterval(hour, clockEvery), still = () => { const m = deps.settings.motion.peek(); stage.still = m === 'reduced' || (m === 'auto' && calm.matches); this.#loop.invalidate(); };
    calm.addEventListener('change', still);
    this.#off.push(
      () => sizes.disconnect(), () => clearInterval(timer), () => calm.removeEventListener('change', still),
      effect(() => { void deps.focus.panels.value; this.#host?.fit(); this.#loop.invalidate(); }),
      effect(() => { void deps.settings.theme.value; hour(); }), effect(() => { void deps.settings.motion.value; still(); }),
    );
  }

  #now(): number { return this.#manual ?? this.deps.now?.() ?? this.deps.store.now(); }

  #frame(time: number, first: boolean): boolean {
    if (!first && !this.#pinned && this.#manual === null && this.#frameTimer.add(time - this.#lastTime)) this.stage.lower(this.#light.sun);
    if (first) this.#frameTimer.reset();
    this.#lastTime = time;
    const now = this.#now(), dt = first ? 1 / 60 : Math.min(longest, Math.max(0, (now - this.#lastNow) / 1000));
    this.#lastNow = now;
    const more = this.#advance(now, dt), lagging = this.#draw(time);
    return (more || lagging) && this.#manual === null;
  }

  #advance(now: number, dt: number): boolean {
    const { stage, rig } = this;
    this.#attention.update();
    let more = rig.step(dt, stage.still);
    rig.apply(stage.camera);
    this.deps.focus.near.value = rig.near;
    this.#host?.updateFocus();
    stage.hidden = rig.hidden();
    // People and the camera may move while the pointer rests.
    this.#pointer.updateDropTarget();
    for (const layer of this.#layers) more = layer.update(now, dt) || more;
    return more;
  }

  #draw(time: number): boolean {
    const began = performance.now(), lagging = this.stage.refreshShadows(time), shadows = this.renderer.shadowMap.enabled && this.renderer.shadowMap.needsUpdate;
    this.renderer.render(this.stage.scene, this.stage.camera);
    if (this.frames++ === 0) this.deps.onDrawn?.();
    this.#frameMs = performance.now() - began;
    const { calls, triangles } = this.renderer.info.render;
    if (shadows) this.#cost.shadows = { calls, triangles }; else this.#cost.view = { calls, triangles };
    return lagging;
  }

  /** Stops the clock and advances it by `ms` milliseconds in small steps; draws one frame at the end. */
  step(ms: number): void {
    let left = Math.max(0, ms), now = this.#manual ?? this.#now();
    do {
      const slice = Math.min(left, longest * 1000);
      now += slice;
      left -= slice;
      this.#manual = now;
      this.#advance(now, slice / 1000);
    } while (left > 0);
    this.#lastNow = now;
    this.#draw(now);
  }

  move(how: (rig: CameraRig) => void): void { how(this.rig); this.#attention.release(); this.#loop.invalidate(); }
  pause(): void { this.#loop.stop(); }
  resume(): void { this.stage.castersMoved(); this.#loop.start(); }

  info(): RoomInfo {
    const { memory, programs } = this.renderer.info, { tier, step } = this.stage.quality, { view, shadows } = this.#cost, seen = view.calls > 0 ? view : shadows;
    return { tier, step, night: this.stage.night, shaded: this.#occlusion.ready && this.#host?.campus?.shaded !== false, studios: this.#host?.campus?.studios ?? 0, ...seen, shadowTriangles: Math.max(0, shadows.triangles - seen.triangles), geometries: memory.geometries, textures: memory.textures, programs: programs?.length ?? 0, buildMs: this.#buildMs, frameMs: this.#frameMs };
  }

  dispose(): void {
    this.#host?.dispose();
    this.#loop.stop();
    for (const off of this.#off) off();
    this.#attention.dispose();
    for (const layer of this.#layers) layer.dispose();
    this.stage.scene.clear();
  }
}
