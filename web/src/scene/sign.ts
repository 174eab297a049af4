import * as T from 'three';
import { signInk } from '../look/accents.ts';
import type { Placed } from '../world/campus.ts';
import { Batch, type Rgb } from './batch.ts';
import type { Kit } from './kit.ts';
import { patch } from './lampmap.ts';
import type { Stage } from './layer.ts';
import { quad } from './shape.ts';

/** The positions of signs along the back wall of a studio and of the house, in metres. */
export const studioSign = -1;
export const houseSign = -0.2;

const board = { w: 4.3, h: 0.96 } as const;
/** The size of a name in the texture, in pixels. The whole texture is uploaded in the frame that shows a new name. */
const cell = { w: 640, h: 120 } as const;
/** The number of names that fit in the texture: the house and 24 studios. */
const capacity = 25;

/** Draws the board of a room's sign, on top of the back wall. */
export function signBoard(k: Kit, paint: string, { d, h }: { d: number; h: number } = k.manifest.room, x = studioSign): void {
  k.part = 0;
  k.on('back', () => k.at(x, h, -d / 2, 0, () => {
    k.m.box(board.w, board.h, 0.09, paint, 0, 0.14, -0.07, 0.05, { ao: 0.08, lift: 0.9 });
    for (const s of [-1.5, 1.5]) k.m.box(0.07, 0.3, 0.05, 'wood_dark', s, -0.06, -0.07, 0.01);
  }));
}

/**
 * The names on all room signs, drawn in one draw call. If there are more names than fit in the texture, the last rooms
 * have empty signs.
 */
export class Signs {
  readonly mesh: T.Mesh<T.BufferGeometry, T.MeshBasicMaterial>;
  readonly #pen: CanvasRenderingContext2D | null;
  readonly #map: T.DataTexture;
  /** The name in each cell of the texture. */
  readonly #cells: (string | undefined)[] = Array.from({ length: capacity });
  #batch = new Batch();

  constructor(readonly stage: Stage) {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: cell.w, height: cell.h });
    this.#pen = canvas.getContext('2d', { willReadFrequently: true });
    const map = this.#map = new T.DataTexture(new Uint8Array(cell.w * cell.h * capacity), cell.w, cell.h * capacity, T.RedFormat);
    Object.assign(map, { magFilter: T.LinearFilter, minFilter: T.LinearMipmapLinearFilter, generateMipmaps: true, anisotropy: 8 });
    const material = new T.MeshBasicMaterial({ color: signInk, map, transparent: true, depthWrite: false });
    patch(material, 'sign', shader => { shader.fragmentShader = shader.fragmentShader.replace('#include <map_fragment>', 'diffuseColor.a *= texture2D(map, vMapUv).r;'); });
    this.mesh = new T.Mesh(this.#batch.geometry(), material);
    this.mesh.renderOrder = 3;
  }

  /** Draws the names that are not in the texture, and yields after each room. The returned function shows the signs. */
  *prepare(rooms: readonly Placed[]): Generator<void, () => void> {
    const batch = new Batch(), white: Rgb = [1, 1, 1], here = new T.Matrix4(), w = board.w - 0.2, cells = this.#cells;
    let changed = false;
    cells.forEach((label, i) => { if (!rooms.some(r => r.label === label)) cells[i] = undefined; });
    for (const { label, id, manifest: { room }, x, z } of rooms) {
      let at = cells.indexOf(label);
      if (at < 0) {
        at = cells.indexOf(undefined);
        if (at < 0) break;
        cells[at] = label;
        this.#write(label, at);
        changed = true;
      }
      batch.add(quad(w, (w * cell.h) / cell.w, 0, (at + 1) / capacity, 1, at / capacity), white, { p: [x + (id === '' ? houseSign : studioSign), room.h + 0.62, z - room.d / 2 - 0.02], ao: 0 }, here, 'back', null);
      yield;
    }
    return () => {
      this.mesh.geometry.dispose();
      this.mesh.geometry = batch.geometry();
      this.#batch = batch;
      if (changed) this.#map.needsUpdate = true;
    };
  }

  update(): void {
    const { start, count } = this.#batch.range(this.stage.hidden);
    this.mesh.geometry.setDrawRange(start, count);
  }

  dispose(): void {
    this.#map.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  /** Writes a name into a cell of the texture. */
  #write(label: string, at: number): void {
    const pen = this.#pen, { data } = this.#map.image as { data: Uint8Array };
    if (!pen) return;
    pen.clearRect(0, 0, cell.w, cell.h);
    Object.assign(pen, { fillStyle: signInk, textAlign: 'center', textBaseline: 'middle', font: "900 82px 'Nunito Variable', Nunito, sans-serif" });
    pen.fillText(label, cell.w / 2, cell.h * 0.54, cell.w * 0.94);
    const { data: rgba } = pen.getImageData(0, 0, cell.w, cell.h), pixels = cell.w * cell.h;
    for (let i = 0; i < pixels; i++) data[at * pixels + i] = rgba[4 * i + 3]!;
  }
}
