import type { Kit } from '../kit.ts';
import type { Builder } from './item.ts';
import { books, bush, mug } from './small.ts';
import { leafy } from './plants.ts';

/** The counter along a wall: its back is at z = 0, and it is shifted 0.3 m to the right of its origin. */
export const kitchenCounter: Builder = (k, o) => {
  const w = o.w, x0 = 0.3, fronts = Math.max(1, Math.round((w - 0.1) / 0.8));
  k.m.box(w - 0.1, 0.1, 0.56, 'wood_dark', x0, 0, 0.32, 0.01);
  k.m.box(w - 0.1, 0.62, 0.64, o.paint('cabinet', 'cabinet'), x0, 0.1, 0.36, 0.02);
  for (let i = 0; i < fronts; i++) {
    const x = x0 + (i - (fronts - 1) / 2) * 0.8;
    k.m.box(0.72, 0.54, 0.03, o.paint('fronts', 'cabinet_front'), x, 0.14, 0.68, 0.02, { ao: 0.06 });
    k.m.box(0.58, 0.4, 0.012, o.paint('fronts', 'cabinet_front'), x, 0.19, 0.698, 0.01, { ao: 0.1, lift: 1.06 });
    k.g.box(0.2, 0.025, 0.03, 'gold', x, 0.6, 0.715, 0.01);
  }
  k.m.box(w, 0.06, 0.72, o.paint('top', 'wood_light'), x0, 0.72, 0.38, 0.02, { ao: 0.05 });
  k.hung(() => { tiles(k); shelves(k, o.number('shelves', 2)); });
  sink(k);
  machine(k, o.paint('machine', 'red'));
  clutter(k);
};

function tiles(k: Kit): void {
  const glaze = ['tile_1', 'tile_2', 'tile_1', 'tile_3', 'tile_4'] as const;
  for (let r = 0; r < 3; r++) for (let i = 0; i < 14; i++) {
    k.g.box(0.222, 0.142, 0.02, glaze[(i * 3 + r * 2 + ((i * r) % 3)) % 5]!, -1.2 + i * 0.232, 0.8 + r * 0.152, 0.015, 0.01, { ao: 0 });
  }
}

function sink(k: Kit): void {
  k.g.box(0.62, 0.02, 0.42, 'chrome', 0.7, 0.775, 0.4, 0.01);
  k.m.box(0.52, 0.012, 0.32, 'sink', 0.7, 0.79, 0.4, 0.003);
  k.g.cyl(0.02, 0.02, 0.22, 'chrome', 0.7, 0.78, 0.18, 0.005, 8);
  k.g.add(k.shape.ring(0.07, 0.016, 6, 10, Math.PI), 'chrome', { p: [0.7, 1.0, 0.25], r: [0, Math.PI / 2, 0] });
}

function machine(k: Kit, color: string): void {
  k.at(-0.55, 0.78, 0.36, 0, () => {
    k.g.box(0.46, 0.09, 0.4, 'dark', 0, 0, 0, 0.03);
    k.g.box(0.46, 0.42, 0.2, color, 0, 0.06, -0.1, 0.05);
    k.g.box(0.46, 0.15, 0.38, color, 0, 0.34, 0, 0.05);
    k.g.box(0.38, 0.012, 0.1, 'chrome', 0, 0.085, 0.1, 0.004);
    k.g.cyl(0.05, 0.05, 0.06, 'chrome', 0, 0.28, 0.08, 0.01, 12);
    k.g.add(k.shape.cylinder(0.018, 0.018, 0.16, 0.005, 8), 'dark', { p: [0, 0.3, 0.1], r: [Math.PI / 2, 0, 0] });
    mug(k, 0, 0.09, 0.08, 'cream');
    k.steam(0, 0.2, 0.1);
    for (let i = 0; i < 3; i++) {
      mug(k, -0.14 + i * 0.13, 0.49, -0.04, (['cream', 'terracotta', 'sky'] as const)[i]!);
      k.e.add(k.shape.sphere(0.016, 6, 5), i === 1 ? 'led_green' : 'led_amber', { p: [-0.1 + i * 0.1, 0.42, 0.195], ao: 0 });
    }
  });
}

function clutter(k: Kit): void {
  k.g.add(k.shape.turned([[0, 0.2, 0, 1], [0.05, 0.2, 0, 1], [0.1, 0.14, 1, 0.5], [0.12, 0.03, 1, 0], [0.11, 0, 0, -1]], 16), 'mustard', { p: [0.1, 0.78, 0.36] });
  k.g.add(k.shape.ring(0.08, 0.012, 5, 10, Math.PI), 'dark', { p: [0.1, 0.95, 0.36] });
  (['jar_oat', 'jar_clay', 'jar_leaf'] as const).forEach((c, i) => {
    k.g.cyl(0.06, 0.06, 0.13 + i * 0.03, c, 1.3 + i * 0.16, 0.78, 0.3, 0.015, 14);
    k.m.cyl(0.062, 0.062, 0.03, 'wood_mid', 1.3 + i * 0.16, 0.91 + i * 0.03, 0.3, 0.008, 14);
  });
  k.m.box(0.3, 0.016, 0.22, 'wood_mid', 1.42, 0.78, 0.56, 0.006, { r: [0, 0.15, 0] });
}

function shelves(k: Kit, n: number): void {
  const heights = [1.55, 2.0].slice(0, n);
  for (const y of heights) {
    k.m.box(2.9, 0.05, 0.3, 'wood_light', 0.3, y, 0.16, 0.015);
    for (const x of [-0.9, 1.5]) k.m.box(0.03, 0.14, 0.22, 'dark', x, y - 0.12, 0.12, 0.008);
  }
  if (n > 0) {
    k.e.box(2.6, 0.014, 0.03, 'strip', 0.3, 1.536, 0.28, 0.003, { ao: 0 });
    (['terracotta', 'cream', 'teal', 'mustard', 'blush', 'sky'] as const).forEach((c, i) => mug(k, -0.95 + i * 0.18, 1.6, 0.18, c));
    (['jar_oat', 'jar_peach', 'jar_sage', 'jar_rose'] as const).forEach((c, i) => {
      k.g.cyl(0.07, 0.07, 0.2, c, 0.4 + i * 0.2, 1.6, 0.16, 0.02, 14);
      k.m.cyl(0.066, 0.066, 0.03, 'wood_mid', 0.4 + i * 0.2, 1.79, 0.16, 0.008, 12);
    });
    bush(k, 1.45, 1.6, 0.16, 0.1, 'leaf_4', 'pot_2');
  }
  if (n > 1) {
    for (let i = 0; i < 4; i++) k.g.cyl(0.13, 0.09, 0.03, i % 2 ? 'cream' : 'sky', -0.7, 2.05 + i * 0.026, 0.17, 0.01, 18);
    books(k, -0.3, 0.7, 2.05, 0.15, 0.26);
    bush(k, 1.1, 2.05, 0.16, 0.11, 'leaf_2', 'pot_1');
  }
}

export const fridge: Builder = (k, o) => {
  const front = o.d / 2 - 0.005, h = o.h;
  k.g.box(o.w, h - 0.06, o.d, o.paint('accent', 'fridge'), 0, 0.06, 0, 0.1, { ao: 0.12 });
  k.m.box(o.w - 0.06, 0.08, o.d - 0.1, 'dark', 0, 0, 0, 0.02);
  k.m.box(o.w - 0.04, 0.02, 0.03, 'fridge_seam', 0, 1.18, front, 0.006);
  k.g.box(0.04, 0.36, 0.05, 'chrome', 0.3, 0.74, front + 0.02, 0.015);
  k.g.box(0.04, 0.26, 0.05, 'chrome', 0.3, 1.26, front + 0.02, 0.015);
  k.m.box(0.12, 0.15, 0.01, 'memo', -0.17, 1.35, front + 0.008, 0.002, { r: [0, 0, 0.1] });
  k.m.box(0.09, 0.09, 0.01, 'note_yellow', -0.02, 1.5, front + 0.008, 0.002, { r: [0, 0, -0.1] });
  k.m.box(0.1, 0.08, 0.01, 'note_sky', -0.2, 1.02, front + 0.008, 0.002, { r: [0, 0, 0.06] });
  for (const [x, y, c] of [[-0.17, 1.49, 'red'], [-0.02, 1.58, 'teal'], [-0.2, 1.09, 'mustard']] as const) k.g.add(k.shape.sphere(0.016, 6, 5), c, { p: [x, y, front + 0.018] });
  if (o.flag('plant')) k.at(0, h, 0, 2.1, () => leafy(k, o.paint('pot', 'pot_2'), 9), 0.62);
};

export const island: Builder = (k, o) => {
  const y = o.h;
  k.m.box(o.w - 0.2, y - 0.07, 0.56, o.paint('front', 'island'), 0, 0, 0, 0.02);
  const n = Math.floor((o.w - 0.2) / 0.2);
  for (let i = 0; i < n; i++) for (const sz of [-1, 1]) k.m.box(0.17, 0.58, 0.02, o.paint('slats', 'island_slat'), (i - (n - 1) / 2) * 0.2, 0.04, sz * 0.285, 0.008, { ao: 0.1 });
  k.m.box(o.w, 0.07, o.d, o.paint('top', 'wood_mid'), 0, y - 0.07, 0.05, 0.025, { ao: 0.05 });
  if (o.flag('fruit')) {
    k.g.cyl(0.2, 0.12, 0.1, 'cream', 0.5, y, 0, 0.02, 18);
    for (const [x, z, c, up] of [[0.45, 0, 'apple', 0], [0.56, 0.06, 'lemon', 0], [0.53, -0.07, 'pear', 0], [0.5, 0, 'orange', 0.07]] as const) k.m.add(k.shape.sphere(0.065, 10, 8), c, { p: [x, y + 0.1 + up, z] });
  }
  k.m.box(0.34, 0.025, 0.24, 'wood_light', -0.4, y, 0.05, 0.008);
  k.m.add(k.shape.capsule(0.07, 0.14, 10), 'bread', { p: [-0.42, y + 0.08, 0.04], r: [0, 0.3, Math.PI / 2] });
  mug(k, -0.02, y, 0.2, 'teal');
};
