import * as T from 'three';
import { CAMPUS_GAP } from '../contracts/limits.gen.ts';
import { groundStrips, lawnDepth, plotMiddle, type Placed, type Rect } from '../world/campus.ts';
import { drawTree } from './furniture/garden.ts';
import { Kit } from './kit.ts';
import { houseSign, signBoard } from './sign.ts';

const contains = (r: Rect, x: number, z: number, edge: number): boolean => x > r.x0 + edge && x < r.x1 - edge && z > r.z0 + edge && z < r.z1 - edge;
const rectOf = ({ x, z, manifest: { room } }: Placed): Rect => ({ x0: x - room.w / 2, x1: x + room.w / 2, z0: z - room.d / 2, z1: z + room.d / 2 });

/** A site's strips of ground, the areas of its rooms and garden, and the positions of its paths. */
interface Site { strips: readonly Rect[]; rooms: readonly Rect[]; garden: Rect; lanesX: readonly number[]; lanesZ: readonly number[] }

const indoors = (s: Site, x: number, z: number): boolean => s.rooms.some(r => contains(r, x, z, -0.5));
const outdoors = (s: Site, x: number, z: number, edge = 0.5): boolean => !indoors(s, x, z) && s.strips.some((r, i) => contains({ ...r, z0: r.z0 - (i > 0 ? 2 * edge : 0) }, x, z, edge));

function siteOf(placed: readonly Placed[]): Site {
  const house = placed[0]!, garden = placed.find(p => p.id === 'garden')!;
  const lanes = (axis: 0 | 1, own: number, other: number) => Array.from({ length: Math.max(...placed.map(p => p.plot[axis])) }, (_, i) => plotMiddle(i + 1, own, other) - other / 2 - CAMPUS_GAP / 2);
  const { room: h } = house.manifest, { room: m } = garden.manifest;
  return { strips: groundStrips(h, m, placed.map(p => p.plot)), rooms: placed.filter(p => p !== garden).map(rectOf), garden: rectOf(garden), lanesX: lanes(0, h.w, m.w), lanesZ: lanes(1, h.d, m.d) };
}

/** The ground of a campus in its own coordinates, with the lawn at y = 0. */
export interface Ground { kit: Kit; lawn: T.BufferGeometry; strips: readonly Rect[] }

/** The approximate number of triangles that are built between two yields. */
const portion = 600;

/**
 * Builds everything between the rooms and the garden: slabs, paths, hedges, trees and flowers. It yields the number of
 * triangles built since the last yield, so that a caller can spread the work over frames.
 */
export function* buildGround(placed: readonly Placed[], fine: boolean): Generator<number, Ground> {
  const kit = new Kit(placed.find(p => p.id === 'garden')!.manifest, fine), site = siteOf(placed);
  let built = 0;
  for (const part of [slabs(kit, site), paths(kit, site), trees(kit, site, placed), hedges(kit, site), meadow(kit, site)]) {
    for (const _ of part) {
      if (kit.triangles - built < portion) continue;
      yield kit.triangles - built;
      built = kit.triangles;
    }
  }
  const { d, h } = placed[0]!.manifest.room;
  signBoard(kit, 'teal', { d, h: h + lawnDepth }, houseSign);
  return { kit, lawn: yield* lawn(kit, site.strips), strips: site.strips };
}

function* slabs(k: Kit, site: Site): Generator<void> {
  for (const { x0, x1, z0, z1 } of site.strips) {
    k.m.box(x1 - x0 + 0.5, 0.75, z1 - z0 + 0.5, 'slab', (x0 + x1) / 2, -0.87, (z0 + z1) / 2, 0.2, { ao: 0.5, shadeless: true });
    k.m.box(x1 - x0 + 0.24, 0.14, z1 - z0 + 0.24, 'wood_cream', (x0 + x1) / 2, -0.155, (z0 + z1) / 2, 0.06, { shadeless: true });
    yield;
  }
}

/** The distance between two stones of a path, in metres. */
const pitch = 0.74;
/** How far paths are shifted from the middle of their lanes, in metres. */
const aside = 0.35;

function* paths(k: Kit, site: Site): Generator<void> {
  const { x0, z0 } = site.strips[0]!, x1 = Math.max(...site.strips.map(s => s.x1)), z1 = site.strips.at(-1)!.z1;
  const stone = (x: number, z: number) => {
    if (!outdoors(site, x, z)) return;
    k.floor.add(k.shape.box(0.68, 0.05, 0.68, 0.02), k.pick(['stone', 'stone_2', 'stone_3']), { p: [x, 0.008, z], r: [0, (k.random() - 0.5) * 0.05, 0], ao: 0.2, lift: 0.97 + k.random() * 0.06 });
  };
  for (const lane of site.lanesX) for (let z = z0 + 0.9; z < z1 - 0.5; z += pitch) {
    for (const o of [-pitch / 2, pitch / 2]) stone(lane + aside + o, z);
    yield;
  }
  for (const lane of site.lanesZ) for (let x = x0 + 0.9; x < x1 - 0.5; x += pitch) {
    if (site.lanesX.some(l => Math.abs(l + aside - x) < 0.95)) continue;
    for (const o of [-pitch / 2, pitch / 2]) stone(x, lane + aside + o);
    yield;
  }
}

const leaves = ['tree_1', 'tree_2', 'tree_3', 'blossom', 'tree_2', 'autumn'] as const;

/** Draws trees at the ends of the lanes and near the garden, and plants next to the rooms in the house's column. */
function* trees(k: Kit, site: Site, placed: readonly Placed[]): Generator<void> {
  const { x0, z0 } = site.strips[0]!;
  const tree = (x: number, z: number, size: number, leaf: string) => { if (outdoors(site, x, z, 0.2)) k.at(x, 0, z, x + z, () => drawTree(k, leaf), size); };
  for (const [i, x] of site.lanesX.entries()) {
    tree(x - 1, z0 + 0.9, 1, leaves[i % 6]!);
    yield;
  }
  for (const [i, z] of site.lanesZ.entries()) {
    tree(x0 + 0.9, z - 0.9, 1, leaves[(i + 3) % 6]!);
    yield;
  }
  const { garden: g } = site;
  tree(g.x0 - 0.6, g.z1 + 0.5, 0.85, 'autumn');
  for (const p of placed) if (p.room && p.plot[0] === 0) {
    const x = p.x + p.manifest.room.w / 2 + 1.35;
    for (let i = 0; i < 4; i++) bed(k, x, p.z - 2.2 + i * 1.15, i);
    yield;
    tree(x, p.z + 3, 0.72, 'blossom');
    yield;
    tree(x - 0.1, p.z - 3.6, 0.7, 'autumn');
    yield;
  }
}

function bed(k: Kit, x: number, z: number, n: number): void {
  k.m.box(1.4, 0.16, 0.62, 'wood_mid', x, 0, z, 0.02).box(1.3, 0.02, 0.52, 'soil', x, 0.155, z, 0);
  const plants = n % 2 ? ['leaf_2', 'leaf_4', 'leaf_5'] : ['petal_rose', 'petal_gold', 'leaf_2', 'blush'];
  for (let i = 0; i < 6; i++) for (const o of [-0.13, 0.13]) k.m.add(k.shape.ico(0.11, 0), k.pick(plants), { p: [x - 0.55 + i * 0.22, 0.22, z + o], r: [i, n, 0], ao: 0.3 });
}

/** Draws hedges along the two far edges. */
function* hedges(k: Kit, site: Site): Generator<void> {
  const first = site.strips[0]!, last = site.strips.at(-1)!;
  const shrub = (x: number, z: number) => {
    for (let i = 0; i < 2; i++) k.m.add(k.shape.ico(1, 1), k.pick(['hedge', 'tree_3', 'tree_1']), { p: [x + (k.random() - 0.5) * 0.2, 0.2 + i * 0.16, z + (k.random() - 0.5) * 0.12], s: [0.36, 0.27, 0.3], r: [k.random() * 3, k.random() * 3, 0], ao: 0.5 });
  };
  for (let x = first.x0 + 0.6; x < first.x1 - 0.3; x += 0.62) {
    shrub(x, first.z0 + 0.32);
    yield;
  }
  for (let z = first.z0 + 0.9; z < last.z1 - 0.3; z += 0.62) {
    shrub(first.x0 + 0.32, z);
    yield;
  }
}

/** The number of tufts, flowers and stones per square metre of the campus. */
const density = 0.22;

function* meadow(k: Kit, site: Site): Generator<void> {
  const { x0, z0 } = site.strips[0]!, w = Math.max(...site.strips.map(s => s.x1)) - x0, d = site.strips.at(-1)!.z1 - z0, { garden: g } = site;
  const onPath = (lanes: readonly number[], v: number) => lanes.some(l => Math.abs(l + aside - v) < 0.85);
  for (let i = 0; i < w * d * density; i++) {
    yield;
    const x = x0 + k.random() * w, z = z0 + k.random() * d, what = k.random();
    if (!outdoors(site, x, z) || onPath(site.lanesX, x) || onPath(site.lanesZ, z) || contains(g, x, z, 0.9)) continue;
    const near = () => (k.random() - 0.5) * 0.12;
    if (what < 0.55) for (let j = 0; j < 3; j++) k.m.add(k.shape.pyramid(0.03, 0.16), k.pick(['leaf_2', 'leaf_4', 'tree_2']), { p: [x + near(), 0.07, z + near()], r: [near() * 4, k.random() * 3, near() * 4], ao: 0.2 });
    else if (what < 0.9) {
      k.m.add(k.shape.ico(0.05, 0), k.pick(['petal_rose', 'petal_gold', 'petal_cream', 'blush']), { p: [x, 0.14, z], ao: 0 });
      k.m.cyl(0.008, 0.008, 0.12, 'stem', x, 0, z, 0, 4, { ao: 0 });
    } else k.m.add(k.shape.ico(0.12 + k.random() * 0.1, 0), 'stone_2', { p: [x, 0.03, z], r: [k.random() * 3, k.random() * 3, 0], s: [1, 0.6, 1] });
  }
}

/** The size of the lawn's patches of colour, in metres. */
const patch = 0.7;

function* lawn(k: Kit, strips: readonly Rect[]): Generator<number, T.BufferGeometry> {
  const pos: number[] = [], col: number[] = [], nor: number[] = [], idx: number[] = [], a = k.color('grass'), b = k.color('grass_light');
  for (const s of strips) {
    const nx = Math.ceil((s.x1 - s.x0) / patch), nz = Math.ceil((s.z1 - s.z0) / patch), base = pos.length / 3;
    for (let j = 0; j <= nz; j++) {
      for (let i = 0; i <= nx; i++) {
        const x = s.x0 + ((s.x1 - s.x0) * i) / nx, z = s.z0 + ((s.z1 - s.z0) * j) / nz, t = 0.5 + 0.25 * Math.sin(x * 0.7 + Math.sin(z * 0.5) * 1.4) + 0.25 * Math.sin(z * 0.9 + x * 0.31);
        pos.push(x, 0, z);
        nor.push(0, 1, 0);
        for (let c = 0; c < 3; c++) col.push(a[c]! + (b[c]! - a[c]!) * t);
        if (i === nx || j === nz) continue;
        const q = base + j * (nx + 1) + i;
        idx.push(q, q + nx + 1, q + 1, q + 1, q + nx + 1, q + nx + 2);
      }
      yield nx * 2;
    }
  }
  const g = new T.BufferGeometry();
  g.setAttribute('position', new T.Float32BufferAttribute(pos, 3));
  g.setAttribute('normal', new T.Float32BufferAttribute(nor, 3));
  g.setAttribute('color', new T.Float32BufferAttribute(col, 3));
  g.setIndex(idx);
  return g;
}
