import * as T from 'three';
import { bevelBox, bevelCylinder, faceted, leafBlade, plainBox, revolve, shapeFrom, type Row, type Shape } from './shape.ts';

/** Chamfers narrower than this, in metres, are invisible. */
const visibleBevel = 0.006;

/** Creates and caches shapes; unless `fine` is set, they have fewer triangles. */
export class Shapes {
  #made = new Map<string, Shape>();
  constructor(readonly fine: boolean) {}

  #make(key: string, make: () => Shape): Shape {
    let s = this.#made.get(key);
    if (!s) this.#made.set(key, s = make());
    return s;
  }

  #round(seg: number): number { return this.fine ? seg : Math.max(5, Math.ceil(seg * 0.55)); }

  box(w: number, h: number, d: number, b = 0.03): Shape {
    const plain = !this.fine || b < visibleBevel;
    return this.#make(`box ${w} ${h} ${d} ${plain ? 0 : b}`, () => plain ? plainBox(w, h, d) : bevelBox(w, h, d, b));
  }
  cylinder(rt: number, rb: number, h: number, b = 0.02, seg = 18): Shape {
    return this.#make(`cyl ${rt} ${rb} ${h} ${b} ${seg}`, () => bevelCylinder(rt, rb, h, b, this.#round(seg)));
  }
  turned(rows: readonly Row[], seg = 16): Shape { return this.#make(`turned ${rows.join()} ${seg}`, () => revolve(rows, this.#round(seg))); }
  sphere(r: number, ws = 16, hs = 12): Shape {
    return this.#make(`sphere ${r} ${ws} ${hs}`, () => shapeFrom(new T.SphereGeometry(r, this.#round(ws), this.#round(hs))));
  }
  ico(r: number, detail = 1): Shape { return this.#make(`ico ${r} ${detail}`, () => faceted(new T.IcosahedronGeometry(r, this.fine ? detail : 0))); }
  gem(r: number): Shape { return this.#make(`gem ${r}`, () => faceted(new T.OctahedronGeometry(r, 0))); }
  pyramid(r: number, h: number): Shape { return this.#make(`pyramid ${r} ${h}`, () => faceted(new T.ConeGeometry(r, h, 4))); }
  capsule(r: number, len: number, seg = 10, cap = 4): Shape {
    return this.#make(`capsule ${r} ${len} ${seg}`, () => shapeFrom(new T.CapsuleGeometry(r, len, cap, this.#round(seg))));
  }
  ring(r: number, tube: number, ts = 6, rs = 12, arc = Math.PI * 2): Shape {
    return this.#make(`ring ${r} ${tube} ${arc} ${rs}`, () => shapeFrom(new T.TorusGeometry(r, tube, this.#round(ts), this.#round(rs), arc)));
  }
  leaf(len: number, wid: number, bend: number, seg = 4): Shape {
    // Leaves have random sizes; rounding them keeps the cache small.
    const l = Math.round(len * 50) / 50, w = Math.round(wid * 50) / 50, b = Math.round(bend * 20) / 20;
    return this.#make(`leaf ${l} ${w} ${b} ${seg}`, () => leafBlade(l, w, b, seg));
  }
  tube(points: readonly T.Vector3[], r: number, steps: number): { shape: Shape; curve: T.CatmullRomCurve3 } {
    const curve = new T.CatmullRomCurve3([...points], false, 'catmullrom', 0.1);
    return { shape: shapeFrom(new T.TubeGeometry(curve, this.fine ? steps : steps >> 1, r, 4)), curve };
  }
}
