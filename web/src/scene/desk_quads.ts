import { BufferAttribute, BufferGeometry, Mesh, MeshBasicMaterial } from 'three';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import { DeskSheet, sheetCells, type Cell } from './desk_sheet.ts';

/** A rectangle in the room: its centre, its size, and its rotation about y; it faces +z if `turn` is 0. */
export interface Rectangle { pos: Vec3; w: number; h: number; turn: number }

/** Returns the brightness of paper. The room's light does not affect the rectangles, so paper is dimmed here at night. */
export const sheetLight = (night: number): number => 0.94 - 0.5 * night;

/**
 * Rectangles with text, in one draw call. Each key gets its own cell in the sheet; when the sheet is full, further keys
 * are left out.
 */
export class Quads {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #sheet = new DeskSheet();
  readonly #cells = new Map<string, number>();
  readonly #used = new Set<string>();
  readonly #pos: BufferAttribute;
  readonly #col: BufferAttribute;
  readonly #uv: BufferAttribute;
  #n = 0;

  constructor(readonly most: number) {
    const g = new BufferGeometry(), index: number[] = [];
    for (let i = 0; i < most * 4; i += 4) index.push(i, i + 1, i + 2, i, i + 2, i + 3);
    g.setAttribute('position', this.#pos = new BufferAttribute(new Float32Array(most * 12), 3));
    g.setAttribute('color', this.#col = new BufferAttribute(new Float32Array(most * 12), 3));
    g.setAttribute('uv', this.#uv = new BufferAttribute(new Float32Array(most * 8), 2));
    g.setIndex(index);
    this.mesh = new Mesh(g, new MeshBasicMaterial({ map: this.#sheet.texture, vertexColors: true }));
    this.mesh.frustumCulled = this.mesh.visible = false;
  }

  begin(): void {
    // Frees the cells that were not used last time.
    for (const key of this.#cells.keys()) if (!this.#used.has(key)) this.#cells.delete(key);
    this.#used.clear();
    this.#n = 0;
  }

  add(key: string, cell: Cell, { pos, w, h, turn }: Rectangle, light: number): void {
    const n = this.#cells.get(key) ?? this.#free();
    if (n === null || this.#n >= this.most) return;
    this.#cells.set(key, n);
    this.#used.add(key);
    const [u0, v0, u1, v1] = this.#sheet.put(n, cell), sin = Math.sin(turn), cos = Math.cos(turn), at = this.#n++ * 4;
    for (const [k, x, y] of [[0, -1, -1], [1, 1, -1], [2, 1, 1], [3, -1, 1]] as const) {
      this.#pos.setXYZ(at + k, pos[0] + x * cos * w / 2, pos[1] + y * h / 2, pos[2] - x * sin * w / 2);
      this.#col.setXYZ(at + k, light, light, light);
      this.#uv.setXY(at + k, x < 0 ? u0 : u1, y < 0 ? v0 : v1);
    }
  }

  end(): void {
    this.mesh.visible = this.#n > 0;
    this.mesh.geometry.setDrawRange(0, this.#n * 6);
    this.#pos.needsUpdate = this.#col.needsUpdate = this.#uv.needsUpdate = true;
  }

  dispose(): void {
    this.#sheet.texture.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  #free(): number | null {
    const taken = new Set(this.#cells.values());
    for (let n = 0; n < sheetCells; n++) if (!taken.has(n)) return n;
    return null;
  }
}
