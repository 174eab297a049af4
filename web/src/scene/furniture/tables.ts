import type { Builder } from './item.ts';
import { bush, cactus, laptop, mug, paper } from './small.ts';

export const meetingTable: Builder = (k, o) => {
  const y = o.h - 0.005, legs = o.paint('legs', 'wood_dark');
  k.m.add(k.shape.cylinder(1, 1, 0.075, 0.022, 44), o.paint('top', 'wood_light'), { p: [0, y - 0.075, 0], s: [o.w / 2, 1, o.d / 2], ao: 0.1 });
  for (const sx of [-1, 1]) {
    k.m.cyl(0.07, 0.1, 0.56, legs, sx * 0.62, 0.03, 0, 0.02, 12);
    k.m.cyl(0.26, 0.3, 0.05, legs, sx * 0.62, 0.02, 0, 0.02, 18);
  }
  const laptops = o.number('laptops', 2);
  if (laptops > 0) laptop(k, -0.62, y, 0.32, Math.PI);
  if (laptops > 1) laptop(k, 0.55, y, -0.3, 0.05);
  for (const [x, z, r] of [[0.1, 0.36, 0.2], [0.24, 0.3, -0.3], [-0.2, -0.36, 0.1]] as const) paper(k, x, y + 0.001, z, r);
  k.m.box(0.12, 0.008, 0.012, 'red', 0.14, y + 0.006, 0.34, 0.003, { r: [0, 0.7, 0], ao: 0 });
  mug(k, -0.15, y, 0.22, 'mustard');
  k.steam(-0.15, y + 0.1, 0.22);
  mug(k, 0.75, y, 0.16, 'terracotta');
  mug(k, -0.72, y, -0.25, 'teal');
  k.steam(-0.72, y + 0.1, -0.25);
  if (o.flag('bush')) bush(k, 0, y, 0, 0.11, 'leaf_2', 'cream');
};

export const coffeeTable: Builder = (k, o) => {
  const y = o.h;
  k.m.cyl(o.w / 2, o.w / 2, 0.06, o.paint('top', 'wood_light'), 0, y - 0.06, 0, 0.025, 30);
  for (let i = 0; i < 3; i++) {
    const a = i * 2.094;
    k.m.add(k.shape.cylinder(0.03, 0.022, 0.34, 0.005, 8), o.paint('legs', 'wood_dark'), { p: [Math.cos(a) * 0.32, 0, Math.sin(a) * 0.32], r: [Math.sin(a) * -0.12, 0, Math.cos(a) * 0.12] });
  }
  mug(k, 0.2, y, 0.1, 'cream');
  k.steam(0.2, y + 0.1, 0.1);
  k.m.box(0.28, 0.03, 0.2, 'teal', -0.16, y, 0.08, 0.006, { r: [0, 0.4, 0] });
  k.m.box(0.26, 0.025, 0.19, 'blush', -0.17, y + 0.03, 0.08, 0.006, { r: [0, 0.1, 0] });
  cactus(k, 0.02, y, -0.24);
};

export const sideTable: Builder = (k, o) => {
  const legs = o.paint('legs', 'wood_dark'), r = o.w / 2;
  k.m.cyl(r, r, 0.04, o.paint('top', 'wood_cream'), 0, o.h - 0.04, 0, 0.018, 22);
  k.m.cyl(0.03, 0.05, o.h - 0.04, legs, 0, 0, 0, 0.01, 8);
  k.m.cyl(0.14, 0.16, 0.03, legs, 0, 0, 0, 0.01, 14);
  mug(k, 0.08, o.h, 0.05, o.paint('mug', 'teal'));
  k.m.box(0.16, 0.02, 0.12, 'plum', -0.08, o.h, -0.04, 0.005, { r: [0, 0.5, 0] });
};
