import type { Builder } from './item.ts';

export const floorLamp: Builder = (k, o) => {
  const wood = o.paint('accent', 'wood_dark'), h = o.h, [gx = 0, gy = h - 0.2, gz = 0] = o.numbers('glow', []);
  k.g.cyl(0.17, 0.19, 0.04, wood, 0, 0, 0, 0.015);
  k.g.cyl(0.018, 0.018, h - 0.31, wood, 0, 0.03, 0, 0.004, 8);
  k.e.cyl(0.2, 0.3, 0.36, o.paint('shade', 'lamp'), 0, h - 0.36, 0, 0.02, 20, { ao: 0.25 });
  k.m.add(k.shape.ring(0.3, 0.008, 5, 20), 'wood_cream', { p: [0, h - 0.355, 0], r: [Math.PI / 2, 0, 0], ao: 0 });
  k.m.add(k.shape.cylinder(0.003, 0.003, 0.22, 0.001, 4), 'gold', { p: [0.12, h - 0.56, 0.06], ao: 0 });
  k.glow(gx, gy, gz, 2.2);
};

/** Draws nothing. Cats move, so cats.ts draws them. */
export const cat: Builder = () => {};

/** A plain box, for unknown kinds of objects. */
export const unknownThing: Builder = (k, o) => {
  k.m.box(Math.max(0.05, o.w), Math.max(0.05, o.h), Math.max(0.05, o.d), o.paint('accent', 'unknown'), 0, 0, 0, 0.04);
};
