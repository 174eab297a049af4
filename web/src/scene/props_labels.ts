import { BufferAttribute, BufferGeometry, type Matrix4, Mesh, MeshBasicMaterial, Vector3 } from 'three';
import type { Verdict } from '../contracts/protocol.gen.ts';
import { sheetLight } from './desk_quads.ts';
import { boxHeight } from './props_place.ts';
import { labelCell, labelRatio, VerdictSheet } from './verdict_sheet.ts';

/** The width of a label, and how far it is in front of the middle of its box, in metres. */
const wide = 0.37, front = 0.168;
const v = new Vector3();

/** The labels on boxes, which show what checks prove about the content. All labels are drawn in a single draw call. */
export class BoxLabels {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #sheet: VerdictSheet;
  readonly #pos: BufferAttribute;
  readonly #uv: BufferAttribute;
  #n = 0;

  /** `changed` is called when the labels have to be drawn again. */
  constructor(most: number, changed: () => void) {
    const g = new BufferGeometry(), index: number[] = [];
    for (let i = 0; i < most * 4; i += 4) index.push(i, i + 1, i + 2, i, i + 2, i + 3);
    g.setAttribute('position', this.#pos = new BufferAttribute(new Float32Array(most * 12), 3));
    g.setAttribute('uv', this.#uv = new BufferAttribute(new Float32Array(most * 8), 2));
    g.setIndex(index);
    this.#sheet = new VerdictSheet(changed);
    this.mesh = new Mesh(g, new MeshBasicMaterial({ map: this.#sheet.texture, transparent: true, depthWrite: false }));
    this.mesh.frustumCulled = this.mesh.visible = false;
  }

  /** Removes all labels. */
  begin(): void { this.#n = 0; }

  /** Puts a label on the front of the box that `box` places in the room. */
  add(box: Matrix4, verdict: Verdict): void {
    const [u0, v0, u1, v1] = labelCell(verdict), at = this.#n++ * 4, high = wide / labelRatio;
    for (const [k, x, y] of [[0, -1, -1], [1, 1, -1], [2, 1, 1], [3, -1, 1]] as const) {
      v.set(x * wide / 2, boxHeight / 2 + y * high / 2, front).applyMatrix4(box);
      this.#pos.setXYZ(at + k, v.x, v.y, v.z);
      this.#uv.setXY(at + k, x < 0 ? u0 : u1, y < 0 ? v0 : v1);
    }
  }

  end(): void {
    this.mesh.visible = this.#n > 0;
    this.mesh.geometry.setDrawRange(0, this.#n * 6);
    this.#pos.needsUpdate = this.#uv.needsUpdate = true;
  }

  /**
   * Sets the brightness of the labels. Lamps do not affect it, so that the labels can be read in the shade of the
   * shelf.
   */
  light(night: number): void { this.mesh.material.color.setScalar(sheetLight(night)); }

  dispose(): void {
    this.#sheet.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
