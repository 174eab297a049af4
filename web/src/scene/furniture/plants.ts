import * as T from 'three';
import type { Kit } from '../kit.ts';
import type { Builder } from './item.ts';
import { bush, cactus, leaves, pot, tilt } from './small.ts';

/** The golden angle between successive leaves, in radians; it spreads them evenly. */
const golden = 2.399;

/** Draws a pot with n broad leaves. */
export function leafy(k: Kit, potColor: string, n: number): void {
  pot(k, potColor, 0.24, 0.34);
  k.m.cyl(0.02, 0.03, 0.5, 'stem', 0, 0.26, 0, 0.004, 6);
  for (let i = 0; i < n; i++) {
    const t = i / n, len = 0.62 - 0.28 * t;
    k.m.add(k.shape.leaf(len, len * 0.46, 0.9 - 0.45 * t), k.pick(leaves), { p: [0, 0.3 + 0.42 * t, 0], ...tilt(-0.1 - 0.55 * t, i * golden), ao: 0.3 });
  }
}

export const plantLeafy: Builder = (k, o) => leafy(k, o.paint('pot', 'pot_2'), Math.min(40, o.number('leaves', 11)));

/** A monstera, each leaf on its own stalk. */
export const monstera: Builder = (k, o) => {
  pot(k, o.paint('pot', 'pot_1'), 0.28, 0.42);
  const n = 15;
  for (let i = 0; i < n; i++) {
    const a = i * golden, t = i / n, len = 0.6 + 0.5 * t;
    const stalk = tilt(1.05 - t * 0.95, a);
    const tip = new T.Vector3(0, len, 0).applyEuler(new T.Euler(...stalk.r));
    k.m.add(k.shape.cylinder(0.012, 0.016, len, 0.003, 5), 'stalk', { p: [0, 0.36, 0], ...stalk });
    k.m.add(k.shape.leaf(0.48 - 0.1 * t, 0.4 - 0.08 * t, 0.75), k.pick(leaves), { p: [tip.x, tip.y + 0.34, tip.z], ...tilt(0.25 - 0.5 * t, a), ao: 0.25 });
  }
};

export const bushPot: Builder = (k, o) => bush(k, 0, 0, 0, o.w / 2, o.paint('leaf', 'leaf_1'), o.paint('pot', 'pot_1'));
export const cactusPot: Builder = (k, o) => cactus(k, 0, 0, 0, o.paint('pot', 'pot_4'));

/** A long planter that divides the room. */
export const planter: Builder = (k, o) => {
  const w = o.w, slats = Math.floor(w / 0.2);
  k.m.box(w, 0.42, 0.4, o.paint('accent', 'wood_light'), 0, 0.04, 0, 0.025);
  for (const sx of [-1, 1]) k.m.box(0.06, 0.04, 0.36, 'wood_dark', sx * (w / 2 - 0.12), 0, 0, 0.01);
  for (let i = 0; i < slats; i++) for (const sz of [-1, 1]) k.m.box(0.15, 0.34, 0.02, i % 2 ? 'slat_dark' : 'slat_light', (i - (slats - 1) / 2) * 0.2, 0.08, sz * 0.205, 0.008, { ao: 0.12 });
  k.m.box(w - 0.06, 0.02, 0.34, 'soil', 0, 0.45, 0, 0.003);
  const n = Math.max(2, Math.floor(w / 0.26));
  for (let i = 0; i < n; i++) {
    const x = -w / 2 + 0.2 + (i * (w - 0.4)) / (n - 1);
    if (i % 3 === 1) blades(k, x); else foliage(k, x, o.flag('flowers') && i % 3 === 0);
  }
};

function blades(k: Kit, x: number): void {
  for (let i = 0; i < 9; i++) k.m.add(k.shape.leaf(0.5 + k.random() * 0.14, 0.13, 0.5 + k.random() * 0.3, 3), k.pick(leaves), { p: [x, 0.44, 0], ...tilt(-0.95 + k.random() * 0.35, i * 0.7 + k.random()), ao: 0.35 });
}

function foliage(k: Kit, x: number, flowers: boolean): void {
  const near = (spread: number) => (k.random() - 0.5) * spread;
  for (let i = 0; i < 3; i++) k.m.add(k.shape.ico(1, 1), k.pick(leaves), { p: [x + near(0.16), 0.5 + k.random() * 0.14, near(0.16)], r: [k.random() * 3, k.random() * 3, 0], s: 0.13 + k.random() * 0.07, ao: 0.4 });
  if (flowers) for (let i = 0; i < 5; i++) k.m.add(k.shape.ico(0.03, 0), k.pick(['petal_rose', 'petal_gold', 'petal_cream']), { p: [x + near(0.3), 0.68 + k.random() * 0.06, near(0.24)], ao: 0 });
}
