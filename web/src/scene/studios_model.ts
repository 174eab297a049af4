import * as T from 'three';
import type { SceneManifest, SceneObject } from '../contracts/protocol.gen.ts';
import type { Placed } from '../world/campus.ts';
import { drawBatch } from './furniture.ts';
import type { Kit } from './kit.ts';
import type { Stage } from './layer.ts';
import { buildOffice } from './office.ts';
import { signBoard } from './sign.ts';
import { accentNumber, accentPaints, studioMaterial } from './studios_material.ts';
import { swaying } from './sway.ts';

/** The maximum number of studios that one model draws; the protocol allows fewer. */
const capacity = 32;

/** The minimum length of shapes in a coarsely drawn studio, in metres. Shorter shapes would cover only a few pixels. */
const farMinLength = 0.15;

/**
 * Returns the number of the desk module that an object in a studio belongs to, counted from 1, or 0 for everything else.
 */
export function deskModule({ poi_id: poi }: Pick<SceneObject, 'poi_id'>): number {
  const seat = /^poi_desk_(\d+)$/.exec(poi ?? '');
  return seat ? Math.ceil(Number(seat[1]) / 2) : 0;
}

/** The materials of studios, shared by the models at both levels of detail. */
export class StudioMaterials {
  readonly matte: T.Material;
  readonly glossy: T.Material;
  readonly floor: T.Material;
  readonly emissive = studioMaterial(new T.MeshBasicMaterial({ vertexColors: true }));
  readonly depth = studioMaterial(new T.MeshDepthMaterial({ depthPacking: T.RGBADepthPacking }));

  constructor(stage: Stage) {
    const lit = (roughness: number) => studioMaterial(stage.material({ vertexColors: true, roughness }));
    [this.matte, this.glossy, this.floor] = [swaying(stage, lit(0.9)), lit(0.38), lit(0.62)];
  }

  dispose(): void { for (const m of [this.matte, this.glossy, this.floor, this.emissive, this.depth]) m.dispose(); }
}

/** The static parts of a studio at one level of detail, drawn for any number of studios in four draw calls. */
export class StudioModel {
  readonly group = new T.Group();
  readonly kit: Kit;
  readonly meshes: { matte: T.InstancedMesh; glossy: T.InstancedMesh };
  readonly #all: T.InstancedMesh[];
  readonly #place = new T.InstancedBufferAttribute(new Float32Array(capacity * 16), 16);
  readonly #studio = new T.InstancedBufferAttribute(new Float32Array(capacity * 3), 3);
  #shown = '';

  constructor(stage: Stage, manifest: SceneManifest, fine: boolean, materials: StudioMaterials) {
    const kit = this.kit = buildOffice(manifest, fine, { tints: accentPaints, partOf: deskModule, minLength: fine ? 0 : farMinLength });
    signBoard(kit, 'accent');
    const add = (finish: 'matte' | 'glossy' | 'floor' | 'emissive', castsShadow: boolean) => {
      const batch = kit.batches[finish], geometry = batch.geometry(castsShadow);
      geometry.setAttribute('iStudio', this.#studio);
      // A batch without parts or tints has no kind attribute.
      if (!geometry.hasAttribute('kind')) geometry.setAttribute('kind', new T.Float32BufferAttribute(new Float32Array(geometry.getAttribute('position').count), 1));
      const mesh = drawBatch(stage, new T.InstancedMesh(geometry, materials[finish], 0), batch, castsShadow);
      mesh.instanceMatrix = this.#place;
      mesh.receiveShadow = finish !== 'emissive';
      mesh.customDepthMaterial = materials.depth;
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    };
    this.meshes = { matte: add('matte', true), glossy: add('glossy', true) };
    this.#all = [this.meshes.matte, this.meshes.glossy, add('floor', false), add('emissive', false)];
  }

  /** Draws these studios, shaded by the volume that `slot` returns for their desks; returns true if they changed. */
  show(studios: readonly Placed[], slot: (desks: number) => number): boolean {
    const print = studios.map(s => `${s.id} ${s.room?.accent} ${s.room?.desks} ${slot(s.room?.desks ?? 0)}`).join();
    if (print === this.#shown) return false;
    this.#shown = print;
    const at = new T.Matrix4();
    studios.forEach(({ x, z, room }, i) => {
      at.makeTranslation(x, 0, z).toArray(this.#place.array, i * 16);
      this.#studio.setXYZ(i, accentNumber(room?.accent ?? ''), room?.desks ?? 0, slot(room?.desks ?? 0));
    });
    this.#place.needsUpdate = this.#studio.needsUpdate = true;
    for (const mesh of this.#all) { mesh.count = studios.length; mesh.visible = studios.length > 0; }
    return true;
  }

  dispose(): void {
    for (const mesh of this.#all) { mesh.geometry.dispose(); mesh.dispose(); }
  }
}
