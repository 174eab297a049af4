import type { SceneCamera, SceneRoom, Vec3 } from '../contracts/protocol.gen.ts';
import type { Box } from '../world/focus.ts';

/**
 * The camera's distance in the overview. `aside` and `rise` are how far the target is to the left of and above the
 * middle of the picture, as fractions of the picture's width and height.
 */
export interface Frame { distance: number; aside: number; rise: number }

/** The room that must be visible, and the manifest's camera for it. */
export interface Shown {
  camera: SceneCamera; fov: number; room: Pick<SceneRoom, 'w' | 'd' | 'h'>;
  /** If set, these points are shown instead of the whole room, centred in the space that cards leave free. */
  corners?: readonly Vec3[];
  /** The share of the width that must be visible, 1 by default; the rest extends beyond the picture on both sides. */
  across?: number;
}

/** A point in the picture relative to its middle, as fractions of its height, y up. */
type Point = readonly [number, number];

/** The minimum space between the room and a card or the edge of the picture, in CSS pixels. */
const clear = 6;
/** The maximum factors for increasing the camera's distance: one for a room, one for given corners. */
const farthest = { room: 4, corners: 16 } as const;
/** The step of the search for a free spot, in CSS pixels. */
const grain = 14;
/** The step for measuring the space on both sides of an outline, in CSS pixels. */
const fineGrain = 4;
/** The depth of the slab under the floor, in metres. */
const slab = 0.72;
const rad = (deg: number): number => (deg * Math.PI) / 180;

/**
 * Returns a frame that shows the room in the part of the picture that cards leave free: no
 * closer than the manifest's camera, and as central as possible. If no free spot is large
 * enough, the room is centred behind the cards.
 */
export function frameRoom(shown: Shown, size: { width: number; height: number }, cards: readonly Box[]): Frame {
  const { width, height } = size, base = shown.camera.distance, boxes = cards.filter(b => b.right > 0 && b.bottom > 0 && b.left < width && b.top < height);
  const tryAt = (k: number): Frame | null => {
    const space = new Space(hullOf(shown, base * k).map(([x, y]): Point => [x * height * (shown.across ?? 1), -y * height]), size, boxes), free = space.freeSpot(), spot = free && shown.corners ? space.centred(free) : free;
    return spot && { distance: base * k, aside: -spot[0] / width, rise: -spot[1] / height };
  };
  return tryAt(1) ?? nearestFit(tryAt, shown.corners ? farthest.corners : farthest.room) ?? (boxes.length > 0 ? frameRoom(shown, size, []) : { distance: base, aside: 0, rise: 0 });
}

/** Returns the closest frame that fits, to within about 1% of the distance, or null if none fits. */
function nearestFit(at: (k: number) => Frame | null, most: number): Frame | null {
  let near = 1, far = most, best = at(far);
  if (!best) return null;
  while (far - near > 0.006) {
    const k = (near + far) / 2, fit = at(k);
    if (fit) { best = fit; far = k; } else near = k;
  }
  return best;
}

/** Returns the room's outline in the picture at the given camera distance. */
export function hullOf({ camera, fov, room, corners = cornersOf(room) }: Shown, distance: number): Point[] {
  const a = rad(camera.azimuth), e = rad(camera.elevation), [tx, ty, tz] = camera.target;
  const scale = 1 / (2 * Math.tan(rad(fov) / 2));
  return convex(corners.map(([x, y, z]): Point => {
    const dx = x - tx, dy = y - ty, dz = z - tz, out = dx * Math.sin(a) + dz * Math.cos(a);
    const right = dx * Math.cos(a) - dz * Math.sin(a), up = dy * Math.cos(e) - out * Math.sin(e), depth = distance - out * Math.cos(e) - dy * Math.sin(e);
    return [(right / depth) * scale, (up / depth) * scale];
  }));
}

/** Returns the corners of a room's floor slab, and the top corners of its two walls. The room is centred at cx, cz. */
export function cornersOf({ w, d, h }: Shown['room'], cx = 0, cz = 0): Vec3[] {
  const corners: Vec3[] = [];
  for (const x of [-w / 2, w / 2]) for (const z of [-d / 2, d / 2]) corners.push([cx + x, -slab, cz + z], [cx + x, x < 0 || z < 0 ? h : 0, cz + z]);
  return corners;
}

function convex(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (list: readonly Point[]): Point[] => {
    const out: Point[] = [];
    for (const p of list) {
      while (out.length > 1 && turn(out.at(-2)!, out.at(-1)!, p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

const turn = (o: Point, a: Point, b: Point): number => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);

/**
 * The possible places for an outline in a picture, as offsets to the right and down, and the boxes that it must not
 * touch.
 */
class Space {
  readonly #x: readonly [least: number, most: number];
  readonly #y: readonly [least: number, most: number];
  readonly #boxes: readonly Box[];

  constructor(readonly hull: readonly Point[], { width, height }: { width: number; height: number }, boxes: readonly Box[]) {
    const xs = hull.map(p => p[0]), ys = hull.map(p => p[1]), w = width / 2, h = height / 2;
    this.#x = [clear - w - Math.min(...xs), w - clear - Math.max(...xs)];
    this.#y = [clear - h - Math.min(...ys), h - clear - Math.max(...ys)];
    this.#boxes = boxes.map(b => ({ left: b.left - w - clear, right: b.right - w + clear, top: b.top - h - clear, bottom: b.bottom - h + clear }));
  }

  /** Returns the place nearest to the middle where the outline touches no box, or null if it fits nowhere. */
  freeSpot(): Point | null {
    const [left, right] = this.#x, [top, bottom] = this.#y;
    if (left > right || top > bottom) return null;
    const middle: Point = [(left + right) / 2, (top + bottom) / 2];
    if (this.#free(...middle)) return middle;
    let best: Point | null = null, least = Infinity;
    for (const x of steps(left, right)) for (const y of steps(top, bottom)) {
      const far = Math.hypot(x - middle[0], y - middle[1]);
      if (far >= least || !this.#free(x, y)) continue;
      best = [x, y];
      least = far;
    }
    return best;
  }

  /** Centres the outline in the free space around its place, horizontally and vertically. */
  centred([x, y]: Point): Point {
    for (let i = 0; i < 2; i++) {
      x = middleOf(x, this.#x, at => this.#free(at, y));
      y = middleOf(y, this.#y, at => this.#free(x, at));
    }
    return [x, y];
  }

  #free(x: number, y: number): boolean { return !this.#boxes.some(b => intersects(this.hull, x, y, b)); }
}

/** Returns the middle of the free range around `from`. */
function middleOf(from: number, [least, most]: readonly [number, number], free: (at: number) => boolean): number {
  let low = from, high = from;
  while (low - fineGrain >= least && free(low - fineGrain)) low -= fineGrain;
  while (high + fineGrain <= most && free(high + fineGrain)) high += fineGrain;
  return (low + high) / 2;
}

/** Returns numbers from `from` to `to`, both included, ordered from the middle outwards. */
function steps(from: number, to: number): number[] {
  const n = Math.max(1, Math.ceil((to - from) / 2 / grain)), mid = (from + to) / 2, half = (to - from) / 2, out = [mid];
  for (let i = 1; i <= n; i++) out.push(mid - (half * i) / n, mid + (half * i) / n);
  return out;
}

/** Reports whether a convex, clockwise outline, moved by x and y, intersects a box: no edge of either separates them. */
function intersects(hull: readonly Point[], x: number, y: number, b: Box): boolean {
  let l = true, r = true, t = true, d = true;
  for (const [px, py] of hull) {
    l &&= px + x <= b.left;
    r &&= px + x >= b.right;
    t &&= py + y <= b.top;
    d &&= py + y >= b.bottom;
  }
  if (l || r || t || d) return false;
  for (let i = 0; i < hull.length; i++) {
    const p = hull[i]!, q = hull[(i + 1) % hull.length]!, nx = q[1] - p[1], ny = p[0] - q[0];
    // The normal points into the outline. A box whose innermost corner is outside the edge does not intersect the
    // outline.
    if (((nx > 0 ? b.right : b.left) - p[0] - x) * nx + ((ny > 0 ? b.bottom : b.top) - p[1] - y) * ny <= 0) return false;
  }
  return true;
}
