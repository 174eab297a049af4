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

/** A sleeping cat. */
export const cat: Builder = (k, o) => {
  const fur = o.paint('fur', 'cat'), dark = o.paint('fur_dark', 'cat_dark'), y = 0.045;
  k.m.add(k.shape.sphere(0.16, 16, 12), fur, { p: [0, y + 0.1, 0], s: [1.25, 0.72, 0.95], ao: 0.3 });
  for (let i = -1; i <= 1; i++) k.m.add(k.shape.sphere(0.06, 8, 6), dark, { p: [-0.02 + i * 0.09, y + 0.175 - Math.abs(i) * 0.02, -0.02], s: [0.35, 0.5, 1.5], ao: 0 });
  k.m.add(k.shape.sphere(0.1, 14, 10), fur, { p: [0.17, y + 0.12, 0.08], ao: 0.2 });
  for (const s of [-1, 1]) {
    k.m.add(k.shape.pyramid(0.038, 0.07), dark, { p: [0.17 + s * 0.05, y + 0.22, 0.07] });
    k.m.box(0.03, 0.006, 0.006, 'dark', 0.19 + s * 0.038, y + 0.13, 0.172, 0, { r: [0, 0, s * 0.2], ao: 0 });
  }
  k.m.add(k.shape.ring(0.17, 0.035, 8, 16, 2.6), dark, { p: [-0.02, y + 0.05, 0.02], r: [Math.PI / 2, 0, 2] });
  k.m.add(k.shape.sphere(0.045, 8, 6), 'muzzle', { p: [0.2, y + 0.095, 0.155] });
  k.m.add(k.shape.sphere(0.012, 6, 4), 'blush', { p: [0.208, y + 0.108, 0.198], ao: 0 });
};

/** A plain box, for kinds of objects that this client does not know. */
export const unknownThing: Builder = (k, o) => {
  k.m.box(Math.max(0.05, o.w), Math.max(0.05, o.h), Math.max(0.05, o.d), o.paint('accent', 'unknown'), 0, 0, 0, 0.04);
};
