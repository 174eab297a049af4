import * as T from 'three';
import { lawnDepth, type Placed, type Rect } from '../world/campus.ts';
import { drawBatch, pickPieces } from './furniture.ts';
import { createGlow } from './glow.ts';
import { buildGround } from './ground.ts';
import type { Hit, Stage } from './layer.ts';
import { mix } from './night.ts';
import { createBase, createShade } from './shell.ts';
import { swaying } from './sway.ts';

/** The ground of a campus in the scene. */
export interface Garden {
  readonly group: T.Group;
  readonly strips: readonly Rect[];
  update(): void;
  pick(ray: T.Raycaster): Hit[];
  dispose(): void;
}

/** Draws the ground, the garden and the shadow of both on the page. */
export function createGarden(stage: Stage, placed: readonly Placed[]): Garden {
  const garden = placed.find(p => p.id === 'garden')!, { kit, lawn, strips } = buildGround(placed, garden, stage.quality.fine), { day, night } = stage.manifest.lighting;
  const group = new T.Group(), glow = createGlow(stage, kit), lit = (roughness: number) => stage.material({ vertexColors: true, roughness }), shining = new T.MeshBasicMaterial({ vertexColors: true });
  const shade = createShade(garden.manifest, false), { matte, glossy, floor, emissive } = kit.batches;
  shade.position.x = garden.x;
  shade.position.z = garden.z;
  const grass = new T.Mesh(lawn, lit(1));
  grass.receiveShadow = true;
  const draw = (batch: typeof matte, material: T.Material, casts: boolean) => drawBatch(stage, new T.Mesh(batch.geometry(casts), material), batch, casts);
  const stones = draw(floor, lit(0.8), false), bases = strips.map(({ x0, x1, z0, z1 }) => {
    const base = createBase(x1 - x0, z1 - z0);
    base.position.add(new T.Vector3((x0 + x1) / 2, -0.3, (z0 + z1) / 2));
    return base;
  });
  stones.receiveShadow = true;
  const meshes = [draw(matte, swaying(stage, lit(0.9)), true), draw(glossy, lit(0.38), true), stones, draw(emissive, shining, false), grass, shade, glow.points, ...bases];
  group.add(...meshes);
  group.position.y = -lawnDepth;
  return {
    group, strips,
    update() {
      shining.color.setScalar(mix(day.emissive_scale, night.emissive_scale, stage.night));
      glow.opacity(mix(day.glow_opacity, night.glow_opacity, stage.night));
      glow.update();
    },
    pick: ray => pickPieces(kit.pieces, ray, stage),
    dispose() {
      for (const { geometry, material } of meshes) {
        const m = material as T.MeshBasicMaterial;
        geometry.dispose();
        m.map?.dispose();
        m.dispose();
      }
    },
  };
}
