import * as T from 'three';
import type { SceneRoom } from '../contracts/protocol.gen.ts';
import { evening, light } from '../look/palette.ts';
import { Batch, type Rgb } from './batch.ts';
import { alphaTexture, createDecal, disposeDecal, type Decal } from './decal.ts';
import type { Kit } from './kit.ts';
import type { Layer, Stage } from './layer.ts';
import { duskOf, mix } from './night.ts';
import type { OcclusionLayer } from './occlusion.ts';
import { quad } from './shape.ts';

const here = new T.Matrix4();

/** Draws the floor, the window panes, and the shadow that the whole room casts on the page. */
export function createShell(stage: Stage, kit: Kit, occlusion: OcclusionLayer): Layer {
  const group = new T.Group(), floor = new T.Mesh(kit.batches.floor.geometry(), stage.material({ vertexColors: true, roughness: 0.62 }));
  floor.receiveShadow = true;
  occlusion.shade(floor, false);
  const { room } = stage.manifest, base = createBase(room.w, room.d), panes = createPanes(stage, [{ room, x: 0, z: 0 }]);
  group.add(base, floor, panes.mesh);
  for (const o of group.children) { o.matrixAutoUpdate = false; o.updateMatrix(); }
  return {
    group,
    update() { panes.update(); return false; },
    dispose() {
      for (const o of [floor, panes.mesh]) {
        o.geometry.dispose();
        o.material.dispose();
      }
      disposeDecal(base);
    },
  };
}

/** Draws the shadow that a slab of this size casts on the page. */
export function createBase(w: number, d: number): Decal {
  const spread = 3.4, width = 96, height = 76;
  const soft = (t: number) => { const x = Math.min(1, Math.max(0, t)); return x * x * (3 - 2 * x); };
  const edges = (n: number, size: number) => Array.from({ length: n }, (_, i) => soft((Math.min(i + 0.5, n - i - 0.5) / n) * ((size + 2 * spread) / (spread * 1.7))));
  const across = edges(width, w), along = edges(height, d), map = alphaTexture(width, height, light.base, (i, j) => 158 * across[i]! * along[j]!);
  const mesh = createDecal(map, w + 2 * spread, d + 2 * spread, -0.66);
  mesh.position.x = 0.55;
  mesh.position.z = 0.1;
  mesh.renderOrder = -1;
  return mesh;
}

/** Draws the sky in the windows of rooms: bright by day, deep blue at night. Each room is centred at its x, z. */
export function createPanes(stage: Stage, rooms: readonly { room: SceneRoom; x: number; z: number }[]) {
  const { day, night } = stage.manifest.lighting, batch = new Batch(), white: Rgb = [1, 1, 1];
  for (const { room: { w: wide, d: deep, wall_thickness: t, windows }, x, z } of rooms) for (const o of windows) {
    const y = (o.y0 + o.y1) / 2, left = o.wall === 'left';
    batch.add(quad(o.w, o.y1 - o.y0), white, { p: left ? [-wide / 2 - t / 2, y, o.centre] : [o.centre, y, -deep / 2 - t / 2], r: [0, left ? Math.PI / 2 : 0, 0], ao: -0.09 }, here.makeTranslation(x, 0, z), o.wall, null);
  }
  const mesh = new T.Mesh(batch.geometry(), new T.MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, side: T.DoubleSide }));
  mesh.renderOrder = 2;
  const a = new T.Color(day.pane), b = new T.Color(night.pane), dusk = new T.Color(evening.pane);
  return {
    mesh,
    update() {
      mesh.material.color.copy(a).lerp(b, stage.night).lerp(dusk, duskOf(stage.night));
      mesh.material.opacity = mix(day.pane_opacity, night.pane_opacity, stage.night);
      const { start, count } = batch.range(stage.hidden);
      mesh.geometry.setDrawRange(start, count);
    },
  };
}
