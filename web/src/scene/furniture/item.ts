import type { SceneManifest, SceneObject } from '../../contracts/protocol.gen.ts';
import type { Kit } from '../kit.ts';

/** Draws one object in its own frame: x to its right, y up, z to its front, standing on y = 0. */
export type Builder = (k: Kit, item: Item) => void;

/** Gives builders the values of a manifest object, with fallbacks for missing or invalid values. */
export class Item {
  readonly w: number;
  readonly h: number;
  readonly d: number;
  /** The type of the place that the object belongs to; empty if there is none. */
  readonly purpose: string;

  constructor(readonly object: SceneObject, manifest: SceneManifest) {
    [this.w, this.h, this.d] = object.size ?? [1, 1, 1];
    this.purpose = manifest.pois.find(p => p.poi_id === object.poi_id)?.type ?? '';
  }

  #read(key: string): unknown { return this.object.style?.[key]; }
  paint(key: string, fallback: string): string { const v = this.#read(key); return typeof v === 'string' ? v : fallback; }
  paints(key: string, fallback: readonly string[]): readonly string[] {
    const v = this.#read(key);
    return Array.isArray(v) && v.length > 0 ? v.map(String) : fallback;
  }
  number(key: string, fallback: number): number { const v = this.#read(key); return typeof v === 'number' && Number.isFinite(v) ? v : fallback; }
  numbers(key: string, fallback: readonly number[]): readonly number[] {
    const v = this.#read(key);
    return Array.isArray(v) && v.length > 0 && v.every(n => typeof n === 'number') ? v : fallback;
  }
  flag(key: string): boolean { return this.#read(key) === true; }
}
