import { type BufferGeometry, Color, Matrix4 } from 'three';
import { Batch, type Place, type Rgb } from './batch.ts';
import type { Shape } from './shape.ts';

const origin = new Matrix4();
const rgb = (hex: string): Rgb => new Color(hex).toArray() as unknown as Rgb;

/** A small object made of a few coloured shapes, standing on y = 0. */
export class Solid {
  readonly #batch = new Batch();

  add(shape: Shape, color: string, place: Place): this {
    this.#batch.add(shape, rgb(color), place, origin, 'room', null);
    return this;
  }

  geometry(): BufferGeometry { return this.#batch.geometry(); }
}
