import * as T from 'three';
import { light } from '../look/palette.ts';
import { lawnDepth, type Placed, type Rect } from '../world/campus.ts';
import { alphaTexture, createDecal, disposeDecal } from './decal.ts';
import { drawBatch } from './furniture.ts';
import type { Ground } from './ground.ts';
import { lightByMap } from './lampmap.ts';
import type { Stage } from './layer.ts';
import { createBase } from './shell.ts';
import { swaying } from './sway.ts';

/** The ground of a campus in the scene. */
export interface GroundLayer { readonly group: T.Group; readonly strips: readonly Rect[]; dispose(): void }

/** Draws the ground, the shade of the rooms on the lawn, and the shadow of everything on the page. */
export function createGround(stage: Stage, { kit, lawn, strips }: Ground, placed: readonly Placed[]): GroundLayer {
  const group = new T.Group(), { matte, floor } = kit.batches, lit = (roughness: number) => lightByMap(stage.material({ vertexColors: true, roughness }), stage.lamps);
  const draw = (batch: typeof matte, roughness: number, casts: boolean) => drawBatch(stage, new T.Mesh(batch.geometry(casts), lit(roughness)), batch, casts);
  const meshes = [draw(matte, 0.9, true), draw(floor, 0.8, false), new T.Mesh(lawn, lit(1))];
  swaying(stage, meshes[0]!.material as T.Material);
  for (const mesh of meshes) mesh.receiveShadow = true;
  const bases = strips.map(({ x0, x1, z0, z1 }) => {
    const base = createBase(x1 - x0, z1 - z0);
    base.position.add(new T.Vector3((x0 + x1) / 2, -0.3, (z0 + z1) / 2));
    return base;
  });
  const rims = createRims(placed.filter(p => p.id !== 'garden'));
  group.add(...meshes, ...bases, rims.mesh);
  group.position.y = -lawnDepth;
  return {
    group, strips,
    dispose() {
      for (const { geometry, material } of meshes) {
        geometry.dispose();
        (material as T.Material).dispose();
      }
      for (const base of bases) disposeDecal(base);
      rims.dispose();
    },
  };
}

/** How far the floor of a room reaches beyond its walls, and the shade beyond that, in metres. */
const ledge = 0.31;
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
  // From afar an offset would lift the shade over the floors of the rooms.
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
