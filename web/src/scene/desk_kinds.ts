import type { BufferGeometry } from 'three';
import { deskColors } from '../look/marks.ts';
import { Solid } from './props_solid.ts';
import type { Shapes } from './shapes.ts';

// The objects on desks that represent recorded facts; desk_props.ts describes their meaning.

interface Size { w: number; h: number }

/** Returns a board for a list of this size; the middle of the board is 0.44 m up its pole. */
export function boardGeometry(shapes: Shapes, { w, h }: Size): BufferGeometry {
  return new Solid()
    .add(shapes.cylinder(0.06, 0.07, 0.02, 0.006, 12), deskColors.frame, {})
    .add(shapes.cylinder(0.01, 0.01, 0.42, 0.002, 6), deskColors.frame, {})
    .add(shapes.box(w + 0.03, h + 0.03, 0.024, 0.008), deskColors.frame, { p: [0, 0.44, 0] })
    .geometry();
}

/** Returns an open bin that stands on y = 0. */
export function binGeometry(shapes: Shapes): BufferGeometry {
  return new Solid()
    .add(shapes.turned([[0, 0.03, 0, 1], [0.088, 0.03, 0, 1], [0.09, 0.03, -1, 0.1], [0.122, 0.285, -1, 0.1], [0.134, 0.285, 0, 1], [0.135, 0.27, 1, 0], [0.1, 0, 1, -0.2]], 16), deskColors.bin, { ao: 0.35 })
    .geometry();
}

/** Returns crumpled paper around y = 0, as wide as the bin. */
export function paperGeometry(shapes: Shapes): BufferGeometry {
  const solid = new Solid();
  for (let i = 0; i < 6; i++) {
    const a = i * 2.4, r = i === 0 ? 0 : 0.055;
    solid.add(shapes.ico(0.042, 0), i % 3 === 1 ? deskColors.paperDark : deskColors.paper, { p: [Math.cos(a) * r, (i % 2) * 0.018, Math.sin(a) * r], r: [i, i * 2, 0], ao: 0.2 });
  }
  return solid.geometry();
}

/** Returns a lit lamp that stands on y = 0. */
export function beaconGeometry(shapes: Shapes): BufferGeometry {
  return new Solid()
    .add(shapes.cylinder(0.05, 0.055, 0.02, 0.004, 12), deskColors.beaconBase, {})
    .add(shapes.capsule(0.042, 0.03, 12, 4), deskColors.beacon, { p: [0, 0.055, 0], ao: 0.25 })
    .geometry();
}

/** Returns a sign on two short legs; the middle of its board is at y = 0. */
export function signGeometry(shapes: Shapes, { w, h }: Size): BufferGeometry {
  const solid = new Solid().add(shapes.box(w + 0.03, h + 0.03, 0.024, 0.008), deskColors.signFrame, {});
  for (const side of [-1, 1]) solid.add(shapes.box(0.016, 0.05, 0.016, 0), deskColors.signFrame, { p: [side * w * 0.3, -h / 2 - 0.02, 0] });
  return solid.geometry();
}
