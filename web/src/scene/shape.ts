import * as T from 'three';

/**
 * A small mesh before it is coloured and placed. y0 and y1 are its lowest and highest y, `long` and `wide` its
 * two largest extents.
 */
export interface Shape { pos: Float32Array; nor: Float32Array; uv?: Float32Array; idx: ArrayLike<number>; y0: number; y1: number; long: number; wide: number }

/** One row of a revolved shape: radius, height, and the direction of its normal. */
export type Row = readonly [r: number, y: number, nr: number, ny: number];

export function shapeOf(pos: ArrayLike<number>, nor: ArrayLike<number>, idx: ArrayLike<number>, uv?: ArrayLike<number>): Shape {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < pos.length; i++) { const v = pos[i]!, k = i % 3; if (v < low[k]!) low[k] = v; if (v > high[k]!) high[k] = v; }
  const [, wide = 0, long = 0] = high.map((v, k) => v - low[k]!).sort((a, b) => a - b);
  const s: Shape = { pos: Float32Array.from(pos), nor: Float32Array.from(nor), idx, y0: low[1]!, y1: high[1]!, long, wide };
  if (uv) s.uv = Float32Array.from(uv);
  return s;
}

export function shapeFrom(g: T.BufferGeometry): Shape {
  const p = g.getAttribute('position'), idx = g.index ? g.index.array : Array.from({ length: p.count }, (_, i) => i);
  const s = shapeOf(p.array, g.getAttribute('normal').array, idx);
  g.dispose();
  return s;
}

/** Converts a shape to a geometry. */
export function geometryOf(s: Shape): T.BufferGeometry {
  const g = new T.BufferGeometry();
  g.setAttribute('position', new T.BufferAttribute(s.pos, 3));
  g.setAttribute('normal', new T.BufferAttribute(s.nor, 3));
  g.setIndex(Array.from(s.idx));
  return g;
}

const signs = [-1, 1] as const;
const corner = (sx: number, sy: number, sz: number, axis: number): number => ((sx > 0 ? 4 : 0) + (sy > 0 ? 2 : 0) + (sz > 0 ? 1 : 0)) * 3 + axis;

/** The index that all chamfered boxes share; only their points differ. */
const boxIndex: readonly number[] = (() => {
  const { pos, nor } = boxPoints(1, 1, 1, 0.1), out: number[] = [];
  const at = (a: readonly number[], i: number) => new T.Vector3(a[i * 3], a[i * 3 + 1], a[i * 3 + 2]);
  const tri = (a: number, b: number, c: number) => {
    const A = at(pos, a), n = at(pos, b).sub(A).cross(at(pos, c).sub(A));
    const out3 = at(nor, a).add(at(nor, b)).add(at(nor, c));
    if (n.dot(out3) >= 0) out.push(a, b, c); else out.push(a, c, b);
  };
  const quad = (a: number, b: number, c: number, d: number) => { tri(a, b, c); tri(a, c, d); };
  for (const s of signs) {
    quad(corner(s, -1, -1, 0), corner(s, 1, -1, 0), corner(s, 1, 1, 0), corner(s, -1, 1, 0));
    quad(corner(-1, s, -1, 1), corner(1, s, -1, 1), corner(1, s, 1, 1), corner(-1, s, 1, 1));
    quad(corner(-1, -1, s, 2), corner(1, -1, s, 2), corner(1, 1, s, 2), corner(-1, 1, s, 2));
  }
  for (const s of signs) for (const t of signs) {
    quad(corner(s, t, -1, 0), corner(s, t, 1, 0), corner(s, t, 1, 1), corner(s, t, -1, 1));
    quad(corner(s, -1, t, 0), corner(s, 1, t, 0), corner(s, 1, t, 2), corner(s, -1, t, 2));
    quad(corner(-1, s, t, 1), corner(1, s, t, 1), corner(1, s, t, 2), corner(-1, s, t, 2));
  }
  for (const x of signs) for (const y of signs) for (const z of signs) tri(corner(x, y, z, 0), corner(x, y, z, 1), corner(x, y, z, 2));
  return out;
})();

function boxPoints(w: number, h: number, d: number, b: number): { pos: number[]; nor: number[] } {
  const x = w / 2, y = h / 2, z = d / 2, pos: number[] = [], nor: number[] = [];
  for (const sx of signs) for (const sy of signs) for (const sz of signs) {
    pos.push(sx * x, sy * (y - b), sz * (z - b), sx * (x - b), sy * y, sz * (z - b), sx * (x - b), sy * (y - b), sz * z);
    nor.push(sx, 0, 0, 0, sy, 0, 0, 0, sz);
  }
  return { pos, nor };
}

/**
 * Returns a chamfered box: 24 points, 44 triangles. The faces keep their flat normals, so the chamfer looks like a
 * soft round edge.
 */
export function bevelBox(w: number, h: number, d: number, b = 0.03): Shape {
  const { pos, nor } = boxPoints(w, h, d, Math.min(b, w / 2, h / 2, d / 2));
  return shapeOf(pos, nor, boxIndex);
}

/** Returns a box with hard edges: 12 triangles, for objects too small or too flat to show their edges. */
export const plainBox = (w: number, h: number, d: number): Shape => shapeFrom(new T.BoxGeometry(w, h, d));

/** Revolves rows, given from top to bottom, about the y axis. */
export function revolve(rows: readonly Row[], seg = 16): Shape {
  const pos: number[] = [], nor: number[] = [], idx: number[] = [], n = seg + 1;
  for (const [r, y, nr, ny] of rows) {
    const l = Math.hypot(nr, ny) || 1;
    for (let i = 0; i <= seg; i++) {
      const a = (i / seg) * Math.PI * 2, c = Math.cos(a), s = Math.sin(a);
      pos.push(r * c, y, r * s);
      nor.push((nr / l) * c, ny / l, (nr / l) * s);
    }
  }
  for (let j = 0; j < rows.length - 1; j++) for (let i = 0; i < seg; i++) {
    const a = j * n + i, c = a + n;
    // A row on the axis is a single point, so one of the two triangles of each quad would be empty.
    if (rows[j]![0] > 1e-3) idx.push(a, a + 1, c);
    if (rows[j + 1]![0] > 1e-3) idx.push(a + 1, c + 1, c);
  }
  return shapeOf(pos, nor, idx);
}

/** Returns a chamfered cylinder or frustum that stands on y = 0. */
export function bevelCylinder(rt: number, rb: number, h: number, b = 0.02, seg = 18): Shape {
  const slope = (rb - rt) / h;
  return revolve([[0, h, 0, 1], [Math.max(rt - b, 0.002), h, 0, 1], [rt, h - b, 1, slope], [rb, b, 1, slope], [Math.max(rb - b, 0.002), 0, 0, -1], [0, 0, 0, -1]], seg);
}

/** Returns a shape with flat shading: each triangle has its own normal. */
export function faceted(g: T.BufferGeometry): Shape {
  const flat = g.index ? g.toNonIndexed() : g;
  flat.computeVertexNormals();
  return shapeFrom(flat);
}

/** Returns a folded leaf blade along +z from the origin. */
export function leafBlade(len: number, wid: number, bend: number, seg = 4): Shape {
  const pos: number[] = [];
  const row = (i: number) => {
    const t = i / seg, a = bend * t, w = wid * Math.sin(Math.PI * Math.min(1, 0.08 + t * 0.92)) ** 0.8;
    return { w, y: t * len * 0.25 - Math.sin(a) * len * t, z: Math.cos(a * 0.7) * len * t, fold: 0.18 * w };
  };
  for (let i = 0; i < seg; i++) {
    const a = row(i), b = row(i + 1);
    for (const s of signs) {
      const q = [[0, a.y - a.fold, a.z], [(s * a.w) / 2, a.y, a.z], [(s * b.w) / 2, b.y, b.z], [0, b.y - b.fold, b.z]];
      for (const k of s < 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]) pos.push(...q[k]!);
    }
  }
  const g = new T.BufferGeometry();
  g.setAttribute('position', new T.Float32BufferAttribute(pos, 3));
  g.computeVertexNormals();
  return shapeFrom(g);
}

/** Returns a quad that faces +z, with texture coordinates. */
export function quad(w: number, h: number, u0 = 0, v0 = 0, u1 = 1, v1 = 1): Shape {
  const x = w / 2, y = h / 2;
  return shapeOf([-x, -y, 0, x, -y, 0, x, y, 0, -x, y, 0], [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], [0, 1, 2, 0, 2, 3], [u0, v0, u1, v0, u1, v1, u0, v1]);
}
