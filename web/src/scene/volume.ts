import { lightByte, lightOf, type Lamp } from './lamps.ts';

/** The darkness of each texel of the floor, 0 to 255, row by row from the back. */
export interface Shade { width: number; height: number; dark: Uint8Array }

/** The inside of a room in metres; its floor is centred on the origin at height 0. */
export interface Inside { readonly w: number; readonly d: number; readonly h: number }

/** Triangles in the coordinates of a room. */
export interface Solid { readonly position: Float32Array; readonly index: ArrayLike<number> }

/**
 * How enclosed and how brightly lit each point of a room is. `data` has four bytes per voxel: the share of solid
 * voxels close by, the same share in a wider area (both from 0 in the open to 255 inside objects), the light from
 * lamps (see lightByte), and 0. x varies fastest, then y, then z.
 */
export interface Volume {
  readonly cells: readonly [number, number, number];
  readonly origin: readonly [number, number, number];
  readonly data: Uint8Array<ArrayBuffer>;
  /** The contact shadow on the floor. */
  readonly floor: Shade;
}

/** The edge length of a voxel, in metres. */
export const cell = 0.1;
/** The distances along the normal, in metres, at which the close and wide channels are read. */
export const taps = { close: 0.16, wide: 0.42 } as const;
/** The space around the room that the volume also covers, in metres. */
const margin = 0.5;
const below = 0.2;
const above = 0.3;
/** The distance between the points that are sampled on a triangle, in metres; less than a voxel. */
const grain = 0.06;
/** Objects lower than this, in metres, lie flat on the floor, like a rug, and cast no shade. */
const flat = 0.045;
/** Objects below these heights, in metres, darken the floor: sharply if they touch it, softly if they hang over it. */
const touching = 0.16;
const hanging = 0.95;
const texelsPerMetre = 32;
/** The number of bytes per voxel. */
export const channels = 4;
/** The approximate number of points or voxels computed between two yields; this takes less than a millisecond. */
const portion = 8192;

/**
 * Computes the volume of a room. It yields the number of points or voxels that it has computed since it last yielded,
 * so that a caller can spread the work over frames.
 */
export function* buildVolume(room: Inside, solids: readonly Solid[], lamps: readonly Lamp[] = []): Generator<number, Volume> {
  const cells = [room.w + 2 * margin, room.h + below + above, room.d + 2 * margin].map(m => Math.ceil(m / cell)) as [number, number, number];
  const origin: [number, number, number] = [-room.w / 2 - margin, -below, -room.d / 2 - margin];
  const close = new Float32Array(cells[0] * cells[1] * cells[2]);
  const footprints = newFootprints(room);
  fillGround(close, cells);
  yield* sampleAll(solids, (x, y, z) => {
    mark(close, cells, origin, x, y, z);
    addFootprint(footprints, x, y, z);
  });
  const wide = close.slice();
  yield* blur(close, cells, 1, 2);
  yield* blur(wide, cells, 3, 2);
  const light = yield* spread(lamps, cells, origin);
  const data = new Uint8Array(close.length * channels);
  for (let from = 0; from < close.length; from += portion) {
    const to = Math.min(close.length, from + portion);
    for (let i = from; i < to; i++) {
      data[i * channels] = close[i]! * 255;
      data[i * channels + 1] = wide[i]! * 255;
      data[i * channels + 2] = lightByte(light[i]!);
    }
    yield to - from;
  }
  return { cells, origin, data, floor: yield* contactShade(footprints) };
}

/** Adds up the light from all lamps in each voxel. The left wall and the back wall keep the light inside. */
function* spread(lamps: readonly Lamp[], [nx, ny, nz]: Volume['cells'], origin: Volume['origin']): Generator<number, Float32Array> {
  const light = new Float32Array(nx * ny * nz), edge = Math.round(margin / cell);
  for (const lamp of lamps) {
    const span = (axis: 0 | 1 | 2, n: number, least: number) => {
      const middle = lamp.pos[axis] - origin[axis];
      return [Math.max(least, Math.floor((middle - lamp.reach) / cell)), Math.min(n, Math.ceil((middle + lamp.reach) / cell))] as const;
    };
    const [i0, i1] = span(0, nx, edge), [j0, j1] = span(1, ny, 0), [k0, k1] = span(2, nz, edge);
    for (let k = k0; k < k1; k++) {
      const dz = origin[2] + (k + 0.5) * cell - lamp.pos[2];
      for (let j = j0; j < j1; j++) {
        const dy = origin[1] + (j + 0.5) * cell - lamp.pos[1], flat = dy * dy + dz * dz;
        for (let i = i0; i < i1; i++) {
          const dx = origin[0] + (i + 0.5) * cell - lamp.pos[0];
          light[(k * ny + j) * nx + i]! += lightOf(lamp, Math.sqrt(flat + dx * dx));
        }
      }
      yield (j1 - j0) * (i1 - i0);
    }
  }
  return light;
}

/** Makes the ground below the floor solid, but not the space next to the room. */
function fillGround(voxels: Float32Array, [nx, ny, nz]: Volume['cells']): void {
  const edge = Math.round(margin / cell), high = Math.round(below / cell);
  for (let k = edge; k < nz - edge; k++) {
    for (let j = 0; j < high; j++) voxels.fill(1, (k * ny + j) * nx + edge, (k * ny + j + 1) * nx - edge);
  }
}

/** Computes only the contact shadow on the floor of a room; yields like buildVolume. */
export function* buildContact(room: Inside, solids: readonly Solid[]): Generator<number, Shade> {
  const footprints = newFootprints(room);
  yield* sampleAll(solids, (x, y, z) => addFootprint(footprints, x, y, z));
  return yield* contactShade(footprints);
}

/** Calls visit for points spread over all triangles; yields the number of points visited since it last yielded. */
function* sampleAll(solids: readonly Solid[], visit: (x: number, y: number, z: number) => void): Generator<number, void> {
  let done = 0;
  const count = (x: number, y: number, z: number): void => {
    visit(x, y, z);
    done++;
  };
  for (const solid of solids) {
    for (let t = 0; t < solid.index.length; t += 3) {
      sample(solid, t, count);
      if (done < portion) continue;
      yield done;
      done = 0;
    }
  }
}

/** Calls visit for points spread over a triangle, unless the triangle lies flat on the floor. */
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

/** The spots where objects stand on the floor, and where they hang low over it. */
interface Footprints { room: Inside; width: number; height: number; foot: Float32Array; near: Float32Array }

function newFootprints(room: Inside): Footprints {
  const width = Math.round(room.w * texelsPerMetre), height = Math.round(room.d * texelsPerMetre);
  return { room, width, height, foot: new Float32Array(width * height), near: new Float32Array(width * height) };
}

function addFootprint({ room, width, height, foot, near }: Footprints, x: number, y: number, z: number): void {
  if (y < flat || y > hanging) return;
  const i = Math.floor((x + room.w / 2) * texelsPerMetre), j = Math.floor((z + room.d / 2) * texelsPerMetre);
  if (i < 0 || j < 0 || i >= width || j >= height) return;
  if (y < touching) foot[j * width + i] = 1;
  near[j * width + i] = Math.max(near[j * width + i]!, 1 - y * 0.8);
}

function* contactShade({ width, height, foot, near }: Footprints): Generator<number, Shade> {
  const size: Volume['cells'] = [width, height, 1], soft = foot.slice();
  yield* blur(foot, size, 1, 2);
  yield* blur(soft, size, 5, 2);
  yield* blur(near, size, 7, 3);
  const dark = new Uint8Array(width * height);
  for (let j = 0; j < height; j++) {
    for (let i = j * width; i < (j + 1) * width; i++) {
      const open = (1 - Math.min(0.5, foot[i]! * 0.7)) * (1 - Math.min(0.4, soft[i]! * 0.85)) * (1 - Math.min(0.42, near[i]! * 0.72));
      dark[i] = 255 * (1 - open);
    }
    if (j % 16 === 0) yield 16 * width;
  }
  return { width, height, dark };
}

/** Blurs in all directions with box filters of radius r; beyond the ends the last value is repeated. */
function* blur(values: Float32Array, [nx, ny, nz]: Volume['cells'], r: number, passes: number): Generator<number, void> {
  const line = new Float32Array(Math.max(nx, ny, nz));
  const axes = [
    { lines: ny * nz, length: nx, step: 1, start: (l: number) => l * nx },
    { lines: nx * nz, length: ny, step: nx, start: (l: number) => Math.floor(l / nx) * ny * nx + (l % nx) },
    { lines: nx * ny, length: nz, step: nx * ny, start: (l: number) => l },
  ].filter(axis => axis.length > 1);
  let done = 0;
  for (let pass = 0; pass < passes; pass++) {
    for (const { lines, length, step, start } of axes) {
      for (let l = 0; l < lines; l++) {
        slide(values, line, start(l), step, length, r);
        done += length;
        if (done < portion) continue;
        yield done;
        done = 0;
      }
    }
  }
}

/** Replaces one line with its running mean. */
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

/**
 * Returns how much light reaches a point on a surface with this normal, 0 to 1. The shader in occlusion_material.ts
 * uses the same formula.
 */
export function openness(volume: Volume, x: number, y: number, z: number, normal: readonly [number, number, number]): number {
  const at = (channel: number, along: number) => valueAt(volume, channel, x + normal[0] * along, y + normal[1] * along, z + normal[2] * along);
  return (1 - 0.5 * smooth(0.2, 0.75, at(0, taps.close))) * (1 - 0.78 * smooth(0.02, 0.42, at(1, taps.wide)));
}

function valueAt({ cells: [nx, ny, nz], origin, data }: Volume, channel: number, x: number, y: number, z: number): number {
  const within = (v: number, from: number, n: number) => Math.min(n - 1, Math.max(0, Math.floor((v - from) / cell)));
  const i = within(x, origin[0], nx), j = within(y, origin[1], ny), k = within(z, origin[2], nz);
  return data[((k * ny + j) * nx + i) * channels + channel]! / 255;
}

function smooth(from: number, to: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return t * t * (3 - 2 * t);
}
