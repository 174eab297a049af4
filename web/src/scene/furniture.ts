import * as T from 'three';
import { screenAtlas } from './atlas.ts';
import type { Batch } from './batch.ts';
import { Highlight } from './highlight.ts';
import type { Kit, Piece } from './kit.ts';
import type { Hit, Layer, Stage } from './layer.ts';
import { mix } from './night.ts';
import { Monitors } from './monitors.ts';
import type { OcclusionLayer } from './occlusion.ts';
import type { ScreenPicture } from './screen_picture.ts';
import { swaying, updateWind } from './sway.ts';

export interface FurnitureLayer extends Layer {
  setScreen(poiId: string, picture: ScreenPicture): void;
  setLamp(poiId: string, on: boolean): void;
  /** Draws an outline around the furniture of a place; null removes it. */
  outline(poiId: string | null): void;
}

const lampOff = 0.22;

/** Draws all furniture and both walls, in four draw calls. */
export function createFurniture(stage: Stage, kit: Kit, occlusion: OcclusionLayer): FurnitureLayer {
  const group = new T.Group(), { matte, glossy, emissive, screen } = kit.batches, { day, night } = stage.manifest.lighting;
  const glow = new T.MeshBasicMaterial({ vertexColors: true }), lit = new T.MeshBasicMaterial({ vertexColors: true, map: screenAtlas() });
  const m = add(stage, group, matte, stage.material({ vertexColors: true, roughness: 0.9 }), true);
  const g = add(stage, group, glossy, stage.material({ vertexColors: true, roughness: 0.38 }), true);
  const e = add(stage, group, emissive, glow, false), s = add(stage, group, screen, lit, false);
  for (const mesh of [m, g]) occlusion.shade(mesh);
  swaying(stage, m.material as T.Material);
  const places = new Map<string, Piece[]>();
  for (const p of kit.pieces) if (p.object.poi_id) places.set(p.object.poi_id, [...(places.get(p.object.poi_id) ?? []), p]);
  const highlight = new Highlight([{ mesh: m, batch: matte, finish: 'matte' }, { mesh: g, batch: glossy, finish: 'glossy' }]);
  group.add(highlight.group);

  const monitors = new Monitors(s.geometry), lamps = e.geometry.getAttribute('color') as T.BufferAttribute, lampColors = lamps.array.slice();
  return {
    group,
    setScreen(poiId, what) {
      for (const p of places.get(poiId) ?? []) monitors.show(...p.screens, what);
      monitors.flush();
      stage.invalidate();
    },
    setLamp(poiId, on) {
      const k = on ? 1 : lampOff;
      for (const p of places.get(poiId) ?? []) for (let i = p.lamps[0] * 3; i < p.lamps[1] * 3; i++) lamps.array[i] = lampColors[i]! * k;
      lamps.needsUpdate = true;
      stage.invalidate();
    },
    outline(poiId) { highlight.show(poiId === null ? [] : places.get(poiId) ?? []); stage.invalidate(); },
    update(now) {
      updateWind(stage, now);
      glow.color.setScalar(mix(day.emissive_scale, night.emissive_scale, stage.night));
      if (highlight.group.visible) highlight.fit(stage.camera.position.length(), stage.camera.fov, stage.size.height);
      return false;
    },
    pick: ray => pickPieces(kit.pieces, ray, stage),
    dispose() {
      highlight.dispose();
      lit.map?.dispose();
      for (const mesh of [m, g, e, s]) { mesh.geometry.dispose(); (mesh.material as T.Material).dispose(); }
    },
  };
}

function add(stage: Stage, group: T.Group, batch: Batch, material: T.Material, castsShadow: boolean): T.Mesh {
  const mesh = drawBatch(stage, new T.Mesh(batch.geometry(castsShadow), material), batch, castsShadow);
  group.add(mesh);
  return mesh;
}

/** Makes a mesh draw its batch without the hidden walls. If `castsShadow` is true, the shadows include those walls. */
export function drawBatch<M extends T.Mesh>(stage: Stage, mesh: M, batch: Batch, castsShadow: boolean): M {
  mesh.castShadow = mesh.receiveShadow = castsShadow;
  mesh.matrixAutoUpdate = false;
  const draw = ({ start, count }: { start: number; count: number }) => mesh.geometry.setDrawRange(start, count);
  mesh.onBeforeShadow = () => draw(batch.castRange());
  mesh.onBeforeRender = () => draw(batch.range(stage.hidden));
  return mesh;
}

const point = new T.Vector3();

/** Returns the places whose furniture a ray hits. */
export function pickPieces(pieces: readonly Piece[], ray: T.Raycaster, stage: Stage): Hit[] {
  const hits: Hit[] = [];
  for (const { object, box, spans } of pieces) {
    if (!object.poi_id || box.isEmpty() || !ray.ray.intersectBox(box, point)) continue;
    const hung = spans.matte.every(x => x.side !== 'room');
    if (hung && spans.matte.some(x => (x.side === 'back' && stage.hidden.back) || (x.side === 'left' && stage.hidden.left))) continue;
    hits.push({ ref: { kind: 'poi', id: object.poi_id }, distance: ray.ray.origin.distanceTo(point), point: point.clone() });
  }
  return hits;
}
