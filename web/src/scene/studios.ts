import * as T from 'three';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { roomSuffix, type Placed } from '../world/campus.ts';
import { screenAtlas } from './atlas.ts';
import { pickPieces } from './furniture.ts';
import { createGlow } from './glow.ts';
import { Highlight } from './highlight.ts';
import type { Kit, Piece } from './kit.ts';
import type { Hit, Stage } from './layer.ts';
import { Monitors } from './monitors.ts';
import { mix } from './night.ts';
import type { ScreenPicture } from './screen_picture.ts';
import type { Beam } from './light.ts';
import { createPanes } from './shell.ts';
import { deskModule, StudioMaterials, StudioModel } from './studios_model.ts';
import { StudioShade } from './studios_shade.ts';
import { createWindowLight } from './window_light.ts';

/** The parts of all studios that differ from studio to studio; they are rebuilt when a studio opens or closes. */
export interface Fittings { group: T.Group; monitors: Monitors; from: ReadonlyMap<string, number>; update(): void; dispose(): void }

/**
 * Draws all studios as instances of one module, in detail near the camera and coarsely elsewhere, so that the number of
 * draw calls does not depend on the number of studios.
 */
export class Studios {
  readonly group = new T.Group();
  readonly #materials: StudioMaterials;
  readonly #coarse: StudioModel;
  #fine: StudioModel | null = null;
  readonly #lit = new T.MeshBasicMaterial({ vertexColors: true, map: screenAtlas() });
  readonly #shade: StudioShade;
  readonly #screens: T.BufferGeometry;
  #fittings: Fittings | null = null;
  #highlight: Highlight | null = null;
  #placed: readonly Placed[] = [];

  constructor(readonly stage: Stage, readonly manifest: SceneManifest, readonly beam: Beam) {
    this.#materials = new StudioMaterials(stage);
    this.#coarse = new StudioModel(stage, manifest, false, this.#materials);
    this.#screens = this.#coarse.kit.batches.screen.geometry();
    this.#shade = new StudioShade(stage, manifest, this.#coarse.kit, this.#materials);
    this.#shade.shadeWhenReady(this.#coarse);
    this.group.add(this.#coarse.group, this.#shade.group);
  }

  /** True once all studios are shaded. */
  get shaded(): boolean { return this.#shade.ready; }

  /** The glows of a studio's lamps. */
  get glows(): Kit['glows'] { return this.#coarse.kit.glows; }

  /** Shows the given studios with the fittings that were made for them. Monitors keep their pictures. */
  set(placed: readonly Placed[], fittings: Fittings): void {
    this.#placed = placed;
    this.#fittings?.dispose();
    this.#fittings = fittings;
    this.group.add(fittings.group);
    for (const [poi, picture] of this.stage.screens) this.setScreen(poi, picture);
    this.#shade.set(placed);
    this.stage.castersMoved();
  }

  /** Draws the studios in `near` in detail and those in `far` coarsely. */
  detail(near: readonly Placed[], far: readonly Placed[]): void {
    if (near.length > 0 && !this.#fine) {
      this.#fine = new StudioModel(this.stage, this.manifest, true, this.#materials);
      this.#shade.shadeWhenReady(this.#fine);
      this.group.add(this.#fine.group);
    }
    const slot = (desks: number): number => this.#shade.slot(desks), moved = [this.#coarse.show(far, slot), this.#fine?.show(near, slot)];
    if (moved.includes(true)) this.stage.castersMoved();
  }

  /** Returns true while shade is fading in. */
  update(dt: number): boolean {
    const { day, night } = this.stage.manifest.lighting;
    this.#materials.emissive.color.setScalar(mix(day.emissive_scale, night.emissive_scale, this.stage.night));
    this.#fittings?.update();
    if (this.#highlight?.group.visible) this.#highlight.fit(this.stage.camera.position.distanceTo(this.#highlight.group.position), this.stage.camera.fov, this.stage.size.height);
    return this.#shade.update(dt);
  }

  setScreen(poi: string, picture: ScreenPicture): void {
    const at = this.#find(poi), from = this.#fittings?.from.get(at?.placed.id ?? '');
    if (!at || from === undefined) return;
    for (const p of at.pieces) this.#fittings!.monitors.show(from + p.screens[0], from + p.screens[1], picture);
    this.#fittings!.monitors.flush();
    this.stage.invalidate();
  }

  /** Draws an outline around the furniture of a place; null removes it. */
  outline(poi: string | null): void {
    const at = poi === null ? null : this.#find(poi), { meshes, kit } = this.#fine ?? this.#coarse;
    this.#highlight?.group.removeFromParent();
    this.#highlight?.dispose();
    this.#highlight = null;
    if (!at) return;
    this.#highlight = new Highlight([{ mesh: meshes.matte, batch: kit.batches.matte, finish: 'matte' }, { mesh: meshes.glossy, batch: kit.batches.glossy, finish: 'glossy' }]);
    this.#highlight.group.position.set(at.placed.x, 0, at.placed.z);
    this.#highlight.show(kit.pieces.filter(p => at.pieces.some(q => q.object === p.object)));
    this.group.add(this.#highlight.group);
    this.stage.invalidate();
  }

  pick(ray: T.Raycaster): Hit[] {
    const local = new T.Raycaster();
    return this.#placed.flatMap(s => {
      local.ray.copy(ray.ray);
      local.ray.origin.x -= s.x;
      local.ray.origin.z -= s.z;
      return pickPieces(this.#coarse.kit.pieces.filter(p => isUsed(p, s)), local, this.stage).map(h => ({ ...h, ref: { ...h.ref, id: h.ref.id + roomSuffix(s.id) }, point: h.point.add(new T.Vector3(s.x, 0, s.z)) }));
    });
  }

  dispose(): void {
    this.outline(null);
    this.#fittings?.dispose();
    this.#coarse.dispose();
    this.#fine?.dispose();
    this.#materials.dispose();
    this.#screens.dispose();
    this.#lit.map?.dispose();
    this.#lit.dispose();
    this.#shade.dispose();
  }

  #find(poi: string): { placed: Placed; pieces: Piece[] } | null {
    for (const placed of this.#placed) {
      const suffix = roomSuffix(placed.id);
      if (!poi.endsWith(suffix)) continue;
      const id = poi.slice(0, -suffix.length);
      return { placed, pieces: this.#coarse.kit.pieces.filter(p => p.object.poi_id === id && isUsed(p, placed)) };
    }
    return null;
  }

  /** Makes the fittings of studios, and yields after each part. */
  *buildFittings(placed: readonly Placed[]): Generator<void, Fittings> {
    const { stage } = this, { kit } = this.#coarse, group = new T.Group();
    const panes = createPanes(stage, placed.map(({ manifest: { room }, x, z }) => ({ room, x, z })));
    yield;
    const glow = createGlow(stage, { glows: placed.flatMap(({ x, z, room }) => kit.glows.filter(g => deskModule(g.poi ? { poi_id: g.poi } : {}) <= (room?.desks ?? 0)).map(g => ({ ...g, pos: new T.Vector3(g.pos.x + x, g.pos.y, g.pos.z + z) }))) });
    yield;
    const geometry = this.#copyScreens(placed), screens = new T.Mesh(geometry, this.#lit), monitors = new Monitors(geometry);
    yield;
    const windows = createWindowLight(placed.map(({ manifest: { room }, x, z }) => ({ room, x, z }))), { beam } = this;
    let shone = -1;
    group.add(panes.mesh, glow.points, screens, windows.mesh);
    return {
      group, monitors,
      from: new Map(placed.map((s, i) => [s.id, i * this.#screens.getAttribute('position').count])),
      update() {
        panes.update();
        glow.opacity(mix(stage.manifest.lighting.day.glow_opacity, stage.manifest.lighting.night.glow_opacity, stage.night));
        glow.update();
        windows.mesh.visible = !stage.hidden.left;
        if (shone !== beam.version) windows.shine(beam.sun, beam.strength, beam.dusk);
        shone = beam.version;
      },
      dispose() {
        group.removeFromParent();
        for (const o of [panes.mesh, glow.points]) { o.geometry.dispose(); o.material.dispose(); }
        geometry.dispose();
        windows.dispose();
      },
    };
  }

  /** Returns the monitors of all studios as one geometry, without the monitors of unused desks. */
  #copyScreens(placed: readonly Placed[]): T.BufferGeometry {
    const one = this.#screens, pos = one.getAttribute('position'), n = pos.count, kinds = one.getAttribute('kind'), at: number[] = [], uv: number[] = [], index: number[] = [];
    placed.forEach(({ x, z, room }, i) => {
      for (let k = 0; k < n; k++) at.push(pos.getX(k) + x, pos.getY(k), pos.getZ(k) + z);
      uv.push(...(one.getAttribute('uv').array as Float32Array));
      for (const k of one.index!.array as Uint16Array) if (!kinds || kinds.getX(k) < 8 * ((room?.desks ?? 0) + 1)) index.push(i * n + k);
    });
    const g = new T.BufferGeometry();
    g.setAttribute('position', new T.Float32BufferAttribute(at, 3));
    g.setAttribute('uv', new T.Float32BufferAttribute(uv, 2));
    g.setAttribute('color', new T.Float32BufferAttribute(new Float32Array(at.length), 3));
    g.setIndex(index);
    return g;
  }
}

/** Reports whether a piece is in use in a studio, that is, does not belong to an unused desk. */
function isUsed({ object }: Piece, { room }: Placed): boolean { return deskModule(object) <= (room?.desks ?? 0); }
