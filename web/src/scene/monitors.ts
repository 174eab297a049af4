import type { BufferAttribute, BufferGeometry } from 'three';
import { saver, screenKinds, type ScreenPicture } from './screen_picture.ts';

/** Shows pictures on monitors. Each monitor is four points of one geometry; `flush` uploads the changes. */
export class Monitors {
  readonly #light: BufferAttribute;
  readonly #uv: BufferAttribute | undefined;
  readonly #cells: ArrayLike<number> | undefined;

  constructor(geometry: BufferGeometry) {
    this.#light = geometry.getAttribute('color') as BufferAttribute;
    this.#uv = geometry.getAttribute('uv') as BufferAttribute | undefined;
    this.#cells = this.#uv?.array.slice();
    for (let i = 0, n = 0; i < this.#light.count; i += 4, n++) this.#set(i, n % 2 === 0 ? saver : { ...saver, kind: 'saver_dusk' });
  }

  /**
   * Sets the monitors of one desk. Their points start at `from` and end before `to`. The first monitor shows `what`,
   * and the others show a page or a chart. A screen saver is shown on all of them.
   */
  show(from: number, to: number, what: ScreenPicture): void {
    for (let i = from; i < to; i += 4) this.#set(i, i === from || what.kind === 'saver' ? what : { kind: what.kind === 'page' ? 'chart' : 'page', light: what.light * 0.85 });
  }

  flush(): void {
    this.#light.needsUpdate = true;
    if (this.#uv) this.#uv.needsUpdate = true;
  }

  /** Sets the picture and the light of the monitor whose four points start at `from`. */
  #set(from: number, { kind, light }: ScreenPicture): void {
    const n = screenKinds.indexOf(kind), cells = this.#cells;
    for (let i = from; i < from + 4; i++) {
      this.#light.setXYZ(i, light, light, light);
      // Keep the position within the atlas cell, but change the cell.
      if (cells) this.#uv!.setXY(i, ((cells[i * 2]! * 4) % 1 + (n % 4)) / 4, ((cells[i * 2 + 1]! * 2) % 1 + Math.floor(n / 4)) / 2);
    }
  }
}
