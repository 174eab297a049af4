import * as T from 'three';
import { signInk } from '../look/accents.ts';
import type { Placed } from '../world/campus.ts';
import { Batch, type Rgb } from './batch.ts';
import type { Kit } from './kit.ts';
import type { Stage } from './layer.ts';
import { quad } from './shape.ts';

/** The places of signs along the back wall of a studio and of the house, in metres. */
export const studioSign = -1;
export const houseSign = -0.2;

const board = { w: 4.3, h: 0.96 } as const;
/** The size of a name in the texture, in pixels. */
const cell = { w: 1024, h: 192 } as const;

/** Draws the board of a room's sign, on top of the back wall. */
export function signBoard(k: Kit, paint: string, { d, h }: { d: number; h: number } = k.manifest.room, x = studioSign): void {
  k.part = 0;
  k.on('back', () => k.at(x, h, -d / 2, 0, () => {
    k.m.box(board.w, board.h, 0.09, paint, 0, 0.14, -0.07, 0.05, { ao: 0.08, lift: 0.9 });
    for (const s of [-1.5, 1.5]) k.m.box(0.07, 0.3, 0.05, 'wood_dark', s, -0.06, -0.07, 0.01);
  }));
}

/** The names on the signs of all rooms. */
export interface Signs { mesh: T.Mesh; update(): void; dispose(): void }

/** Draws the names on the signs of all rooms, in one draw call, and yields after each name. */
export function* createSigns(stage: Stage, rooms: readonly Placed[]): Generator<void, Signs> {
  const canvas = document.createElement('canvas'), n = rooms.length;
  canvas.width = cell.w;
  canvas.height = cell.h * n;
  const c = canvas.getContext('2d'), batch = new Batch(), white: Rgb = [1, 1, 1], here = new T.Matrix4(), w = board.w - 0.2;
  for (const [i, { label, id, manifest: { room }, x, z }] of rooms.entries()) {
    if (c) {
      Object.assign(c, { fillStyle: signInk, textAlign: 'center', textBaseline: 'middle', font: "900 132px 'Nunito Variable', Nunito, sans-serif" });
      c.fillText(label, cell.w / 2, cell.h * (i + 0.54), cell.w * 0.94);
    }
    batch.add(quad(w, (w * cell.h) / cell.w, 0, 1 - (i + 1) / n, 1, 1 - i / n), white, { p: [x + (id === '' ? houseSign : studioSign), room.h + 0.62, z - room.d / 2 - 0.02], ao: 0 }, here, 'back', null);
    yield;
  }
  const map = new T.CanvasTexture(canvas);
  map.colorSpace = T.SRGBColorSpace;
  map.anisotropy = 8;
  const mesh = new T.Mesh(batch.geometry(), new T.MeshBasicMaterial({ map, transparent: true, depthWrite: false }));
  mesh.renderOrder = 3;
  return {
    mesh,
    update() { const { start, count } = batch.range(stage.hidden); mesh.geometry.setDrawRange(start, count); },
    dispose() { map.dispose(); mesh.geometry.dispose(); mesh.material.dispose(); },
  };
}
