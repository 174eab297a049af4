import type { Kit } from '../kit.ts';
import type { Builder } from './item.ts';

// The kinds of outdoor objects that the garden's manifest uses.

/** A round stone plaza, with a smaller one in its middle for the fire. */
const plaza: Builder = (k, o) => {
  const r = o.w / 2;
  const disc = (radius: number, h: number, paint: string) => k.floor.cyl(radius, radius, h, paint, 0, -0.005, 0, 0.015, 44, { ao: 0 });
  disc(r, 0.045, o.paint('rim', 'stone_2'));
  disc(r - 0.3, 0.052, o.paint('stone', 'stone_3'));
  disc(r * 0.38, 0.06, o.paint('hearth', 'stone'));
};

const firePit: Builder = (k, o) => {
  const [gx = 0, gy = 0.6, gz = 0] = o.numbers('glow', []);
  k.m.add(k.shape.turned([[0, 0.2, 0, 1], [0.42, 0.2, 0, 1], [0.5, 0.34, -1, 0.6], [0.56, 0.36, 0, 1], [0.6, 0.3, 1, 0.2], [0.4, 0.05, 1, -0.6], [0.34, 0, 1, 0]], 22), o.paint('bowl', 'dark'), { p: [0, 0.04, 0], ao: 0.2 });
  for (let i = 0; i < 5; i++) {
    const a = i * 1.25;
    k.m.add(k.shape.cylinder(0.05, 0.05, 0.5, 0.01, 7), o.paint('logs', 'trunk'), { p: [Math.cos(a) * 0.2, 0.3, Math.sin(a) * 0.2], r: [Math.sin(a) * -0.9, 0, Math.cos(a) * 0.9] });
  }
  for (let i = 0; i < 4; i++) {
    const a = i * 1.7;
    k.e.add(k.shape.pyramid(0.12 - i * 0.015, 0.34 + i * 0.08), i % 2 ? 'lamp' : 'orange', { p: [Math.cos(a) * 0.11, 0.5 + (i % 2) * 0.06, Math.sin(a) * 0.11], r: [0, i, 0], ao: -0.4 });
  }
  k.glow(gx, gy, gz, 3.2);
};

/** A bench for two. */
const bench: Builder = (k, o) => {
  const legs = o.paint('legs', 'wood_dark'), seat = o.paint('seat', 'wood_light'), w = o.w;
  for (const s of [-1, 1]) {
    const x = s * (w / 2 - 0.12);
    k.m.box(0.07, 0.34, 0.4, legs, x, 0, 0, 0.015);
    k.m.box(0.06, 0.4, 0.06, legs, x, 0.34, -0.2, 0.015, { r: [-0.15, 0, 0] });
  }
  for (let i = 0; i < 3; i++) k.m.box(w, 0.05, 0.13, i % 2 ? seat : 'wood_mid', 0, 0.35, -0.13 + i * 0.15, 0.015);
  for (let i = 0; i < 2; i++) k.m.box(w, 0.11, 0.04, i % 2 ? 'wood_mid' : seat, 0, 0.5 + i * 0.15, -0.22 - i * 0.02, 0.015, { r: [-0.15, 0, 0] });
  k.m.box(0.34, 0.3, 0.12, o.paint('pillow', 'mustard'), w / 2 - 0.2, 0.4, -0.08, 0.05, { r: [-0.3, -0.2, 0.1] });
};

const picnicTable: Builder = (k, o) => {
  const legs = o.paint('legs', 'wood_dark'), parasol = o.paint('parasol', ''), w = o.w;
  k.m.box(w, 0.06, 0.78, o.paint('top', 'wood_light'), 0, 0.6, 0, 0.02);
  for (const s of [-1, 1]) {
    k.m.box(w, 0.05, 0.3, o.paint('seat', 'wood_mid'), 0, 0.34, s * 0.72, 0.02);
    for (const x of [-0.6, 0.6]) {
      k.m.box(0.07, 0.62, 0.07, legs, x, 0, s * 0.3, 0.01, { r: [s * -0.35, 0, 0] });
      k.m.box(0.06, 0.34, 0.06, legs, x, 0, s * 0.72, 0.01);
    }
  }
  k.m.box(0.42, 0.02, 0.3, 'cream', -0.45, 0.66, 0.08, 0.004, { r: [0, 0.2, 0] });
  k.g.cyl(0.05, 0.045, 0.1, 'terracotta', -0.1, 0.66, 0.1, 0.012, 12).cyl(0.05, 0.045, 0.1, 'teal', 0.5, 0.66, -0.12, 0.012, 12).cyl(0.14, 0.09, 0.08, 'cream', 0.2, 0.66, 0.05, 0.02, 16);
  for (const [a, fruit] of [[0, 'apple'], [2, 'orange'], [4, 'pear']] as const) k.m.add(k.shape.sphere(0.055, 8, 6), fruit, { p: [0.2 + Math.cos(a) * 0.05, 0.76, 0.05 + Math.sin(a) * 0.05] });
  if (parasol === '') return;
  k.m.cyl(0.03, 0.03, 1.7, 'wood_cream', 0, 0.6, 0, 0.01, 8);
  k.m.add(k.shape.turned([[0.001, 0.34, 0, 1], [0.5, 0.2, 0.5, 1], [1.05, 0, 0.5, 1], [1.04, -0.05, 1, -0.6], [0.5, 0.13, -0.4, -1], [0.001, 0.26, 0, -1]], 8), parasol, { p: [0, 2.05, 0], ao: 0.15 });
};

const pond: Builder = (k, o) => {
  const rx = o.w / 2, rz = o.d / 2, rim = o.paint('rim', 'stone_2');
  k.m.add(k.shape.cylinder(1, 1, 0.06, 0.02, 26), rim, { p: [0, -0.03, 0], s: [rx, 1, rz], ao: 0 });
  k.g.add(k.shape.cylinder(1, 1, 0.05, 0.01, 26), o.paint('water', 'water'), { p: [0, -0.01, 0], s: [rx * 0.87, 1, rz * 0.84], ao: 0 });
  for (let i = 0; i < 14; i++) {
    const a = i * 0.45;
    k.m.add(k.shape.ico(0.14 + (i % 3) * 0.04, 0), i % 2 ? rim : 'stone_3', { p: [Math.cos(a) * rx * 0.95, 0.04, Math.sin(a) * rz * 0.94], r: [i, i, 0], s: [1, 0.7, 1], ao: 0.3 });
  }
  for (const [x, z, r] of [[0.3, 0.2, 0.17], [-0.4, -0.2, 0.14], [-0.1, 0.45, 0.12], [0.65, -0.3, 0.12]] as const) {
    k.m.cyl(r, r, 0.015, o.paint('leaf', 'leaf_2'), x, 0.042, z, 0.004, 12, { ao: 0 });
    if (r > 0.13) k.m.add(k.shape.ico(0.06, 0), 'petal_rose', { p: [x, 0.09, z], ao: 0 });
  }
};

const lampPost: Builder = (k, o) => {
  const iron = o.paint('accent', 'dark'), [gx = 0, gy = 2.42, gz = 0] = o.numbers('glow', []);
  k.g.cyl(0.1, 0.12, 0.08, iron, 0, 0, 0, 0.02, 12).cyl(0.028, 0.035, gy - 0.12, iron, 0, 0.06, 0, 0.005, 8);
  k.e.add(k.shape.sphere(0.13, 12, 9), o.paint('shade', 'lamp'), { p: [gx, gy, gz], ao: 0 });
  k.g.cyl(0.02, 0.12, 0.1, iron, 0, gy + 0.1, 0, 0.01, 10);
  k.glow(gx, gy, gz, 1.7);
};

/** Draws a tree whose leaves all have the same paint. */
export function drawTree(k: Kit, leaf: string, trunk = 'trunk'): void {
  k.m.add(k.shape.cylinder(0.07, 0.13, 1.1, 0.01, 8), trunk, { ao: 0.3 });
  for (let i = 0; i < 9; i++) {
    const a = i * 2.4, r = i < 6 ? 0.42 : 0.18, size = (0.42 + k.random() * 0.14) * (i > 6 ? 0.85 : 1);
    k.m.add(k.shape.ico(1, 1), leaf, { p: [Math.cos(a) * r, 1.15 + (i / 9) * 0.95, Math.sin(a) * r], s: size, r: [k.random() * 3, k.random() * 3, 0], ao: 0.42, lift: 0.92 + k.random() * 0.16 });
  }
}

const tree: Builder = (k, o) => drawTree(k, o.paint('leaf', 'tree_1'), o.paint('trunk', 'trunk'));

/** The builder of each kind of object that stands outside. */
export const gardenBuilders: Readonly<Record<string, Builder>> = { plaza, fire_pit: firePit, bench, picnic_table: picnicTable, pond, lamp_post: lampPost, tree };
