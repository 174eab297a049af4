import type { Shade } from './floorshade.ts';

/** The inside of a room in metres; its floor is centred on the origin at height 0. */
export interface Inside { readonly w: number; readonly d: number; readonly h: number }

/** Triangles in the coordinates of a room. */
export interface Solid { readonly position: Float32Array; readonly index: ArrayLike<number> }

/**
 * How enclosed each point of a room is. `data` has two bytes for each voxel, 0 in the open to 255 inside
 * objects: the share of solid voxels close by, and in a wider area. x runs fastest, then y, then z.
 */
export interface Volume {
  readonly cells: readonly [number, number, number];
  readonly origin: readonly [number, number, number];
  readonly data: Uint8Array<ArrayBuffer>;
  /** The contact shade on the floor. */
  readonly floor: Shade;
}

/** The edge of a voxel in metres. */
export const cell = 0.1;
/** The distances along the normal at which the close and the wide channel are read, in metres. */
export const taps = { close: 0.16, wide: 0.42 } as const;
/** The space around the room that the volume covers too, in metres. */
const margin = 0.5;
const below = 0.2;
const above = 0.3;
/** The distance between the points that are sampled on a triangle, in metres; less than a voxel. */
const grain = 0.06;
/** Objects lower than this lie flat on the floor, like a rug, and cast no shade. */
const flat = 0.045;
/** Objects below these heights darken the floor: sharply if they touch it, softly if they hang over it. */
const touching = 0.16;
const hanging = 0.95;
const texelsPerMetre = 32;
/** The number of triangles between two yields. */
const batch = 256;

/** Computes the volume of a room. It yields often, so that a caller can spread the work over frames. */
export function* buildVolume(room: Inside, solids: readonly Solid[]): Generator<void, Volume> {
  const cells = [room.w + 2 * margin, room.h + below + above, room.d + 2 * margin].map(m => Math.ceil(m / cell)) as [number, number, number];
  const origin: [number, number, number] = [-room.w / 2 - margin, -below, -room.d / 2 - margin];
  const close = new Float32Array(cells[0] * cells[1] * cells[2]);
  const prints = newPrints(room);
  fillGround(close, cells);
  for (const solid of solids) {
    for (let from = 0; from < solid.index.length; from += batch * 3) {
      const to = Math.min(solid.index.length, from + batch * 3);
      for (let t = from; t < to; t += 3) sample(solid, t, (x, y, z) => { mark(close, cells, origin, x, y, z); print(prints, x, y, z); });
      yield;
    }
  }
  const wide = close.slice();
  yield* blur(close, cells, 1, 2);
  yield* blur(wide, cells, 3, 2);
  const data = new Uint8Array(close.length * 2);
  for (let i = 0; i < close.length; i++) {
    data[i * 2] = close[i]! * 255;
    data[i * 2 + 1] = wide[i]! * 255;
  }
  yield;
  return { cells, origin, data, floor: yield* contactShade(prints) };
}

/** Makes the ground below the floor solid, but not the space next to the room. */
function fillGround(voxels: Float32Array, [nx, ny, nz]: Volume['cells']): void {
  const edge = Math.round(margin / cell), high = Math.round(below / cell);
  for (let k = edge; k < nz - edge; k++) {
    for (let j = 0; j < high; j++) voxels.fill(1, (k * ny + j) * nx + edge, (k * ny + j + 1) * nx - edge);
  }
}

/** Calls visit for points all over a triangle, unless it lies flat on the floor. */
function sample({ position: p, index }: Solid, t: number, visit: (x: number, y: number, z: number) => void): void {
  const a = index[t]! * 3, b = index[t + 1]! * 3, c = index[t + 2]! * 3;
  const ax = p[a]!, ay = p[a + 1]!, az = p[a + 2]!;
  const bx = p[b]! - ax, by = p[b + 1]! - ay, bz = p[b + 2]! - az;
  const cx = p[c]! - ax, cy = p[c + 1]! - ay, cz = p[c + 2]! - az;
  if (Math.max(ay, ay + by, ay + cy) < flat) return;
  const ub = Math.ceil(Math.hypot(bx, by, bz) / grain) || 1, uc = Math.ceil(Math.hypot(cx, cy, cz) / grain) || 1;
  for (let i = 0; i <= ub; i++) {
    const s = i / ub;
    for (let j = 0, end = Math.ceil(uc * (1 - s)); j <= end; j++) {
      const r = Math.min(1 - s, j / uc);
      visit(ax + bx * s + cx * r, ay + by * s + cy * r, az + bz * s + cz * r);
    }
  }
}

function mark(voxels: Float32Array, [nx, ny, nz]: Volume['cells'], origin: Volume['origin'], x: number, y: number, z: number): void {
  const i = Math.floor((x - origin[0]) / cell), j = Math.floor((y - origin[1]) / cell), k = Math.floor((z - origin[2]) / cell);
  if (i >= 0 && j >= 0 && k >= 0 && i < nx && j < ny && k < nz) voxels[(k * ny + j) * nx + i] = 1;
}

/** Marks where objects stand on the floor, and where they hang low over it. */
interface Prints { room: Inside; width: number; height: number; foot: Float32Array; near: Float32Array }

function newPrints(room: Inside): Prints {
  const width = Math.round(room.w * texelsPerMetre), height = Math.round(room.d * texelsPerMetre);
  return { room, width, height, foot: new Float32Array(width * height), near: new Float32Array(width * height) };
}

function print({ room, width, height, foot, near }: Prints, x: number, y: number, z: number): void {
  if (y < flat || y > hanging) return;
  const i = Math.floor((x + room.w / 2) * texelsPerMetre), j = Math.floor((z + room.d / 2) * texelsPerMetre);
  if (i < 0 || j < 0 || i >= width || j >= height) return;
  if (y < touching) foot[j * width + i] = 1;
  near[j * width + i] = Math.max(near[j * width + i]!, 1 - y * 0.8);
}

function* contactShade({ width, height, foot, near }: Prints): Generator<void, Shade> {
  const size: Volume['cells'] = [width, height, 1], soft = foot.slice();
  yield* blur(foot, size, 1, 2);
  yield* blur(soft, size, 5, 2);
  yield* blur(near, size, 7, 3);
  const dark = new Uint8Array(width * height);
  for (let i = 0; i < dark.length; i++) {
    const open = (1 - Math.min(0.5, foot[i]! * 0.7)) * (1 - Math.min(0.4, soft[i]! * 0.85)) * (1 - Math.min(0.42, near[i]! * 0.72));
    dark[i] = 255 * (1 - open);
  }
  return { width, height, dark };
}

/** Blurs in all directions with box filters of radius r; beyond the ends the last value is repeated. */
function* blur(values: Float32Array, [nx, ny, nz]: Volume['cells'], r: number, passes: number): Generator<void, void> {
  const line = new Float32Array(Math.max(nx, ny, nz));
  for (let pass = 0; pass < passes; pass++) {
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) slide(values, line, (k * ny + j) * nx, 1, nx, r);
      for (let i = 0; i < nx; i++) slide(values, line, k * ny * nx + i, nx, ny, r);
      yield;
    }
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) slide(values, line, j * nx + i, nx * ny, nz, r);
      yield;
    }
  }
}

/** Replaces one line by its running mean. */
function slide(values: Float32Array, line: Float32Array, start: number, step: number, n: number, r: number): void {
  for (let i = 0; i < n; i++) line[i] = values[start + i * step]!;
  const first = line[0]!, last = line[n - 1]!, share = 1 / (2 * r + 1);
  let sum = first * (r + 1);
  for (let i = 1; i <= r; i++) sum += line[Math.min(i, n - 1)]!;
  for (let i = 0; i < n; i++) {
    values[start + i * step] = sum * share;
    sum += (i + r + 1 < n ? line[i + r + 1]! : last) - (i - r >= 0 ? line[i - r]! : first);
  }
}

/** Returns how much light reaches a point of a surface with a normal, 0 to 1. The shader in occlusion.ts does the same. */
export function openness(volume: Volume, x: number, y: number, z: number, normal: readonly [number, number, number]): number {
  const at = (channel: number, along: number) => valueAt(volume, channel, x + normal[0] * along, y + normal[1] * along, z + normal[2] * along);
  return (1 - 0.5 * smooth(0.2, 0.75, at(0, taps.close))) * (1 - 0.78 * smooth(0.02, 0.42, at(1, taps.wide)));
}

function valueAt({ cells: [nx, ny, nz], origin, data }: Volume, channel: number, x: number, y: number, z: number): number {
  const within = (v: number, from: number, n: number) => Math.min(n - 1, Math.max(0, Math.floor((v - from) / cell)));
  const i = within(x, origin[0], nx), j = within(y, origin[1], ny), k = within(z, origin[2], nz);
  return data[((k * ny + j) * nx + i) * 2 + channel]! / 255;
}

function smooth(from: number, to: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return t * t * (3 - 2 * t);
}
