import * as T from 'three';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { Placed } from '../world/campus.ts';
import { createContact } from './decal.ts';
import { tintsPerPart, type Kit } from './kit.ts';
import { lightByMap } from './lampmap.ts';
import { lampsOf } from './lamps.ts';
import type { Stage } from './layer.ts';
import { fadeIn } from './occlusion.ts';
import { readVolume, setVolumes, shadePoints, volumeUniforms, type VolumeUniforms } from './occlusion_material.ts';
import { finish, inSlices } from './slices.ts';
import type { StudioMaterials, StudioModel } from './studios_model.ts';
import { buildContact, buildVolume, type Shade, type Solid, type Volume } from './volume.ts';

/** The number of desk modules in a full studio. */
const full = 6;
/** The maximum number of contact shadows of one kind, enough for every desk module in 32 full studios. */
const capacity = 192;
/** The floor area that a desk module's contact shadow covers, in metres. */
const deskFloor = { w: 2.4, d: 3.4, h: 1 } as const;

type Spots = (s: Placed) => readonly (readonly [number, number])[];

/**
 * The shade and the baked lamps of all studios. Studios differ only in colour and in their number of desk modules, so
 * there is one volume for each number of desk modules in use. Each volume is computed in slices when it is first
 * needed. At lower quality, each point of a model is shaded once, as if the studio were full.
 */
export class StudioShade {
  readonly group = new T.Group();
  readonly #uniforms: VolumeUniforms;
  readonly #volumes: (Volume | undefined)[] = [];
  readonly #contacts: { mesh: T.InstancedMesh; decalMatrix: T.Matrix4; spots: Spots }[] = [];
  readonly #unshaded: StudioModel[] = [];
  readonly #needed = new Set<number>();
  readonly #perPixel: boolean;
  #placed: readonly Placed[] = [];
  #shown = 0;
  #stop: (() => void) | null = null;

  constructor(
    readonly stage: Stage,
    readonly manifest: SceneManifest,
    readonly kit: Kit,
    materials: StudioMaterials,
  ) {
    this.#perPixel = stage.quality.lit === 'standard';
    this.#uniforms = volumeUniforms(stage.lamps);
    for (const m of [materials.matte, materials.glossy, materials.floor]) {
      if (this.#perPixel) readVolume(m, this.#uniforms, 'iStudio.z');
      else lightByMap(m, stage.lamps);
    }
  }

  /** True if the shade of all studios is computed and shown. */
  get ready(): boolean { return this.#shown === 1 && this.#missing() === undefined; }

  /** Shades a model now, or once its shade has been computed. */
  shadeWhenReady(model: StudioModel): void {
    const volume = this.#volumes[full - 1];
    if (this.#perPixel) return;
    if (volume) shadeModel(model, volume);
    else this.#unshaded.push(model);
  }

  set(placed: readonly Placed[]): void {
    this.#placed = placed;
    for (const { room } of placed) this.#needed.add(this.#perPixel ? Math.min(full, Math.max(1, room?.desks ?? 1)) : full);
    for (const c of this.#contacts) this.#lay(c);
    if (this.#stop || this.#missing() === undefined) return;
    if (this.stage.quality.tier === 'test') finish(this.#compute());
    else this.#stop = inSlices(this.#compute(), () => { this.#stop = null; });
  }

  /**
   * Returns the index of the volume for a studio with this many desks or, until that volume is computed, of the most
   * similar one.
   */
  slot(desks: number): number {
    for (let n = Math.min(full, desks); n > 0; n--) if (this.#volumes[n - 1]) return n - 1;
    return Math.max(0, this.#volumes.findIndex(v => v));
  }

  update(dt: number): boolean {
    if (this.#shown === 1 || !this.#volumes.some(v => v)) return false;
    this.#shown = this.#uniforms.uShade.value = fadeIn(this.stage, this.#shown, dt);
    for (const { mesh } of this.#contacts) (mesh.material as T.Material).opacity = this.#shown;
    return this.#shown < 1;
  }

  dispose(): void {
    this.#stop?.();
    this.#uniforms.uVolume.value.dispose();
    for (const { mesh } of this.#contacts) {
      const m = mesh.material as T.MeshBasicMaterial;
      mesh.geometry.dispose();
      mesh.dispose();
      m.map?.dispose();
      m.dispose();
    }
  }

  #missing(): number | undefined { return [...this.#needed].find(n => !this.#volumes[n - 1]); }

  *#compute(): Generator<number, void> {
    const { room, lighting } = this.manifest, lamps = this.#perPixel ? lampsOf(lighting.night.lamps, this.kit.glows) : [];
    if (this.#contacts.length === 0) {
      this.#addContact(yield* buildContact(room, this.#solids(part => part === 0)), room, () => [[0, 0]]);
      const middles = this.#deskMiddles(), [x, z] = middles[0] ?? [0, 0];
      // All desk modules look like the first.
      const first = this.#solids(part => part === 1).map(s => moved(s, -x, -z));
      this.#addContact(yield* buildContact(deskFloor, first), deskFloor, s => middles.slice(0, s.room?.desks ?? 0));
    }
    for (let n = this.#missing(); n !== undefined; n = this.#missing()) {
      const volume = yield* buildVolume(room, this.#solids(part => part <= n!), lamps);
      this.#volumes[n - 1] = volume;
      if (this.#perPixel) setVolumes(this.#uniforms, Array.from(this.#volumes));
      for (const model of this.#unshaded.splice(0)) shadeModel(model, volume);
      this.stage.invalidate();
    }
  }

  #solids(keeps: (part: number) => boolean): Solid[] {
    const { matte, glossy } = this.kit.batches;
    return [matte, glossy].map(batch => batch.solid(kind => keeps(Math.floor(kind / tintsPerPart))));
  }

  /** Returns the middle of each desk module, between its two desks. */
  #deskMiddles(): [number, number][] {
    const { objects } = this.manifest, at = (n: number) => objects.find(o => o.object_id === `obj_desk_${n}`)?.pos;
    return Array.from({ length: full }, (_, i) => [at(2 * i + 1), at(2 * i + 2)]).flatMap(([a, b]): [number, number][] => (a && b ? [[(a[0] + b[0]) / 2, (a[2] + b[2]) / 2]] : []));
  }

  #addContact(shade: Shade, { w, d }: { w: number; d: number }, spots: Spots): void {
    const decal = createContact(shade, w, d), mesh = new T.InstancedMesh(decal.geometry, decal.material, capacity);
    decal.updateMatrix();
    decal.material.opacity = 0;
    Object.assign(mesh, { frustumCulled: false, renderOrder: decal.renderOrder });
    const contact = { mesh, decalMatrix: decal.matrix, spots };
    this.#contacts.push(contact);
    this.#lay(contact);
    this.group.add(mesh);
  }

  #lay({ mesh, decalMatrix, spots }: { mesh: T.InstancedMesh; decalMatrix: T.Matrix4; spots: Spots }): void {
    const at = new T.Matrix4(), all = this.#placed.flatMap(s => spots(s).map(([x, z]) => [s.x + x, s.z + z] as const)).slice(0, capacity);
    all.forEach(([x, z], i) => mesh.setMatrixAt(i, at.makeTranslation(x, 0, z).multiply(decalMatrix)));
    mesh.count = all.length;
    mesh.instanceMatrix.needsUpdate = true;
  }
}

function shadeModel({ meshes }: StudioModel, volume: Volume): void {
  for (const mesh of [meshes.matte, meshes.glossy]) shadePoints(mesh.geometry, volume);
}

/** Returns a copy of a solid, moved across the floor by x and z. */
function moved({ position, index }: Solid, x: number, z: number): Solid {
  const to = position.slice();
  for (let i = 0; i < to.length; i += 3) {
    to[i]! += x;
    to[i + 2]! += z;
  }
  return { position: to, index };
}
