import * as T from 'three';
import { light } from '../look/palette.ts';
import { lawnDepth, type Placed, type Rect } from '../world/campus.ts';
import { alphaTexture, createDecal, disposeDecal, type Decal } from './decal.ts';
import { drawBatch } from './furniture.ts';
import type { Ground } from './ground.ts';
import { lightByMap } from './lampmap.ts';
import type { Stage } from './layer.ts';
import { createBase } from './shell.ts';
import { swaying } from './sway.ts';

/** The ground of a campus in the scene. */
export interface GroundLayer { readonly group: T.Group; readonly strips: readonly Rect[]; dispose(): void }

/** The materials of the ground. They are kept when the ground is replaced, so that no shader is compiled again. */
export class GroundMaterials {
  readonly matte: T.Material;
  readonly floor: T.Material;
  readonly lawn: T.Material;

  constructor(stage: Stage) {
    const lit = (roughness: number) => lightByMap(stage.material({ vertexColors: true, roughness }), stage.lamps);
    [this.matte, this.floor, this.lawn] = [swaying(stage, lit(0.9)), lit(0.8), lit(1)];
  }

  dispose(): void { for (const m of [this.matte, this.floor, this.lawn]) m.dispose(); }
}

/**
 * Draws the ground, the shade of the rooms on the lawn, and the shadow that the campus casts on the page behind it;
 * yields after each part.
 */
export function* createGround(stage: Stage, materials: GroundMaterials, { kit, lawn, strips }: Ground, placed: readonly Placed[]): Generator<void, GroundLayer> {
  const group = new T.Group(), meshes = [new T.Mesh(lawn, materials.lawn)], bases: Decal[] = [];
  for (const finish of ['matte', 'floor'] as const) {
    const batch = kit.batches[finish], castsShadow = finish === 'matte';
    yield;
    meshes.push(drawBatch(stage, new T.Mesh(batch.geometry(castsShadow), materials[finish]), batch, castsShadow));
  }
  for (const mesh of meshes) mesh.receiveShadow = true;
  for (const { x0, x1, z0, z1 } of strips) {
    yield;
    const base = createBase(x1 - x0, z1 - z0);
    base.position.add(new T.Vector3((x0 + x1) / 2, -0.3, (z0 + z1) / 2));
    bases.push(base);
  }
  yield;
  const rims = createRims(placed.filter(p => p.id !== 'garden'));
  group.add(...meshes, ...bases, rims.mesh);
  group.position.y = -lawnDepth;
  return {
    group, strips,
    dispose() {
      for (const { geometry } of meshes) geometry.dispose();
      for (const base of bases) disposeDecal(base);
      rims.dispose();
    },
  };
}

/** How far the floor of a room reaches beyond its walls, in metres. */
const ledge = 0.31;
/** How far the shade around a room reaches beyond its floor, in metres. */
const spread = 1.1;
/** The darkest shade next to a room, 0 to 255. */
const darkest = 120;

/** Draws the shade around rooms on the lawn, in one draw call. */
function createRims(rooms: readonly Placed[]): { mesh: T.InstancedMesh; dispose(): void } {
  const { w, d } = rooms.at(-1)!.manifest.room, wide = w + 2 * (ledge + spread), deep = d + 2 * (ledge + spread), texels = 8;
  const across = Math.round(wide * texels), along = Math.round(deep * texels);
  const out = (i: number, size: number) => Math.max(0, Math.abs((i + 0.5) / texels - size / 2) - (size / 2 - spread)) / spread;
  const map = alphaTexture(across, along, light.contact, (i, j) => {
    const far = Math.hypot(out(i, wide), out(j, deep));
    return far > 0 && far < 1 ? darkest * (1 - far) ** 2 : 0;
  });
  const decal = createDecal(map, wide, deep, 0.015), mesh = new T.InstancedMesh(decal.geometry, decal.material, rooms.length), at = new T.Matrix4();
  // At a distance, an offset would lift the shade over the floors of the rooms.
  decal.material.polygonOffset = false;
  decal.updateMatrix();
  rooms.forEach(({ x, z, manifest: { room } }, i) => {
    const scale = new T.Vector3((room.w + 2 * (ledge + spread)) / wide, 1, (room.d + 2 * (ledge + spread)) / deep);
    mesh.setMatrixAt(i, at.makeTranslation(x, 0, z).scale(scale).multiply(decal.matrix));
  });
  Object.assign(mesh, { frustumCulled: false, renderOrder: 1 });
  return {
    mesh,
    dispose() {
      mesh.dispose();
      disposeDecal(decal);
    },
  };
}
