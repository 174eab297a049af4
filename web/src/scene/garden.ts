import * as T from 'three';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { lawnDepth, type Placed } from '../world/campus.ts';
import { drawBatch, pickPieces } from './furniture.ts';
import { gardenBuilders } from './furniture/garden.ts';
import { Item } from './furniture/item.ts';
import { builderOf } from './furniture/registry.ts';
import { createGlow } from './glow.ts';
import { Kit } from './kit.ts';
import { lightByMap } from './lampmap.ts';
import type { Layer, Stage } from './layer.ts';
import { mix } from './night.ts';
import { createOcclusion } from './occlusion.ts';
import { swaying } from './sway.ts';

/** Builds the garden in its own coordinates, with the lawn at y = 0. */
export function buildGarden(manifest: SceneManifest, fine: boolean): Kit {
  const kit = new Kit(manifest, fine);
  for (const object of manifest.objects) {
    const item = new Item(object, manifest), build = Object.hasOwn(gardenBuilders, object.kind) ? gardenBuilders[object.kind]! : builderOf(object.kind);
    kit.build(object, () => build(kit, item));
  }
  return kit;
}

/** The garden in the scene. */
export interface Garden extends Layer {
  readonly glows: Kit['glows'];
  /** True once the garden is shaded. */
  readonly shaded: boolean;
}

/** Draws the garden with its shade and its lamps. */
export function createGarden(stage: Stage, { manifest, x, z }: Placed): Garden {
  const kit = buildGarden(manifest, stage.quality.fine), { matte, glossy, floor, emissive } = kit.batches, { day, night } = stage.manifest.lighting;
  const group = new T.Group(), glow = createGlow(stage, kit), shining = new T.MeshBasicMaterial({ vertexColors: true });
  const occlusion = createOcclusion(stage, manifest.room, manifest.lighting.night, kit);
  const draw = (batch: typeof matte, material: T.Material, casts: boolean) => drawBatch(stage, new T.Mesh(batch.geometry(casts), material), batch, casts);
  const lit = (batch: typeof matte, roughness: number, casts: boolean) => {
    const mesh = draw(batch, stage.material({ vertexColors: true, roughness }), casts);
    mesh.receiveShadow = true;
    occlusion.shade(mesh, casts);
    if (stage.quality.lit !== 'standard') lightByMap(mesh.material as T.Material, stage.lamps);
    return mesh;
  };
  const plants = lit(matte, 0.9, true);
  swaying(stage, plants.material as T.Material);
  const meshes = [plants, lit(glossy, 0.38, true), lit(floor, 0.8, false), draw(emissive, shining, false), glow.points];
  group.add(...meshes, occlusion.group);
  group.position.set(x, -lawnDepth, z);
  const local = new T.Raycaster();
  return {
    group, glows: kit.glows,
    get shaded() { return occlusion.ready; },
    update(now, dt) {
      shining.color.setScalar(mix(day.emissive_scale, night.emissive_scale, stage.night));
      glow.opacity(mix(day.glow_opacity, night.glow_opacity, stage.night));
      glow.update();
      return occlusion.update(now, dt);
    },
    pick(ray) {
      local.ray.copy(ray.ray);
      local.ray.origin.sub(group.position);
      return pickPieces(kit.pieces, local, stage).map(h => ({ ...h, point: h.point.add(group.position) }));
    },
    dispose() {
      occlusion.dispose();
      for (const { geometry, material } of meshes) {
        geometry.dispose();
        (material as T.Material).dispose();
      }
    },
  };
}
