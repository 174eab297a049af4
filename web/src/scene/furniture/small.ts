import * as T from 'three';
import type { Kit } from '../kit.ts';

// Small objects that stand on furniture.

export const leaves = ['leaf_1', 'leaf_2', 'leaf_3', 'leaf_4', 'leaf_5'] as const;
const spines = ['terracotta', 'teal', 'mustard', 'navy', 'cream', 'blush', 'sage', 'plum', 'sky'] as const;

export function mug(k: Kit, x: number, y: number, z: number, color: string): void {
  k.g.cyl(0.05, 0.045, 0.1, color, x, y, z, 0.012, 12);
  k.g.add(k.shape.ring(0.032, 0.011, 5, 9), color, { p: [x + 0.055, y + 0.05, z] });
  k.m.cyl(0.04, 0.04, 0.008, 'coffee', x, y + 0.096, z, 0.002, 10);
}

/** Draws a row of books from x0 to x1, with gaps and an occasional leaning book. */
export function books(k: Kit, x0: number, x1: number, y: number, z: number, high: number): void {
  for (let x = x0; x < x1 - 0.05;) {
    const w = 0.045 + k.random() * 0.05, h = high * (0.72 + k.random() * 0.28), chance = k.random();
    if (chance < 0.1) { x += 0.1; continue; }
    const lean = chance < 0.2 ? 0.16 : 0;
    k.m.box(w, h, 0.2 + k.random() * 0.05, k.pick(spines), x + w / 2 + lean * 0.3, y, z, 0.008, { r: [0, 0, -lean] });
    if (w > 0.065) k.m.box(w * 1.02, 0.018, 0.16, 'cream', x + w / 2 + lean * 0.3, y + h * 0.72, z + 0.03, 0.002, { r: [0, 0, -lean], ao: 0 });
    x += w + 0.004 + lean * 0.5;
  }
}

export function bookStack(k: Kit, x: number, y: number, z: number, n = 3): void {
  for (let i = 0; i < n; i++) {
    const turn = k.random() * 0.5 - 0.25;
    k.m.box(0.2, 0.026, 0.15, k.pick(['navy', 'terracotta', 'cream', 'teal', 'mustard']), x, y + i * 0.027, z, 0.006, { r: [0, turn, 0] });
    k.m.box(0.194, 0.016, 0.152, 'paper', x + 0.005, y + 0.005 + i * 0.027, z + 0.002, 0.002, { r: [0, turn, 0], ao: 0 });
  }
}

export function pot(k: Kit, color: string, r: number, h: number): void {
  k.m.add(k.shape.turned([
    [0, h * 0.88, 0, 1], [r * 0.84, h * 0.88, 0, 1], [r * 0.86, h, -1, 1], [r, h, 0, 1], [r * 1.04, h * 0.96, 1, 0],
    [r * 1.02, h * 0.8, 1, -0.2], [r * 0.92, h * 0.76, 1, -0.2], [r * 0.68, 0.02, 1, -0.3], [r * 0.62, 0, 0, -1],
  ], r > 0.15 ? 18 : 10), color);
  k.m.cyl(r * 0.84, r * 0.84, 0.02, 'soil', 0, h * 0.86, 0, 0.004, r > 0.15 ? 14 : 8);
}

export function cactus(k: Kit, x: number, y: number, z: number, potColor = 'pot_4'): void {
  k.at(x, y, z, k.random() * 6, () => {
    pot(k, potColor, 0.06, 0.08);
    k.m.add(k.shape.capsule(0.035, 0.09, 8, 3), 'cactus', { p: [0, 0.15, 0] });
    k.m.add(k.shape.capsule(0.018, 0.04, 6, 2), 'cactus_arm', { p: [0.045, 0.17, 0], r: [0, 0, -0.5] });
    k.m.add(k.shape.ico(0.016, 0), 'bloom', { p: [0, 0.235, 0] });
  });
}

/** Draws a round plant of radius r in a pot. */
export function bush(k: Kit, x: number, y: number, z: number, r: number, leaf: string, potColor: string): void {
  k.at(x, y, z, k.random() * 6, () => {
    pot(k, potColor, r * 0.72, r * 0.95);
    for (let i = 0; i < 6; i++) {
      const a = i * 1.05;
      k.m.add(k.shape.ico(1, 1), k.pick([leaf, 'leaf_1', 'leaf_2']), {
        p: [Math.cos(a) * r * 0.42, r * 1.35 + (i % 2) * r * 0.35, Math.sin(a) * r * 0.42], r: [k.random() * 3, k.random() * 3, 0],
        s: r * (0.52 + k.random() * 0.22), ao: 0.35,
      });
    }
    k.m.add(k.shape.ico(1, 1), 'leaf_4', { p: [0, r * 1.95, 0], s: r * 0.66, ao: 0.35 });
  });
}

/** Returns a rotation by y about the y axis, then by x about the rotated x axis, as the `r` of a Place. */
export function tilt(x: number, y: number): { r: [number, number, number] } {
  const e = new T.Euler().setFromQuaternion(new T.Quaternion().setFromEuler(new T.Euler(x, y, 0, 'YXZ')), 'XYZ');
  return { r: [e.x, e.y, e.z] };
}

export function paper(k: Kit, x: number, y: number, z: number, turn: number, color = 'paper'): void {
  k.m.box(0.16, 0.006, 0.21, color, x, y, z, 0.002, { r: [0, turn, 0], ao: 0 });
}

export function deskLamp(k: Kit, x: number, y: number, z: number, turn: number, color: string): void {
  k.at(x, y, z, turn, () => {
    k.g.cyl(0.07, 0.08, 0.025, color, 0, 0, 0, 0.01, 14);
    k.g.add(k.shape.cylinder(0.01, 0.01, 0.28, 0.002, 6), color, { p: [0, 0.02, 0], r: [-0.45, 0, 0] });
    k.g.add(k.shape.cylinder(0.01, 0.01, 0.24, 0.002, 6), color, { p: [0, 0.27, -0.12], r: [0.95, 0, 0] });
    k.g.add(k.shape.sphere(0.016, 8, 6), 'gold', { p: [0, 0.27, -0.12] });
    k.g.add(k.shape.cylinder(0.03, 0.085, 0.1, 0.01, 14), color, { p: [0, 0.36, 0.08], r: [0.25, 0, 0] });
    k.e.add(k.shape.sphere(0.045, 10, 8), 'bulb', { p: [0, 0.365, 0.08], ao: 0 });
    k.glow(0, 0.33, 0.09, 0.75);
  });
}

/**
 * The screen of a monitor: how much smaller than the monitor it is, how high the monitor stands, and how far in front
 * of the monitor the screen is, in metres.
 */
export const screenIn = { rim: 0.05, up: 0.12, front: 0.0215 } as const;

/** Draws a monitor. It faces +z if turn is 0. */
export function monitor(k: Kit, x: number, y: number, z: number, w: number, h: number, turn: number): void {
  k.at(x, y, z, turn, () => {
    k.g.box(0.24, 0.018, 0.16, 'metal', 0, 0, -0.02, 0.008);
    k.g.box(0.05, 0.16, 0.03, 'metal', 0, 0.01, -0.05, 0.008);
    k.g.box(w, h, 0.04, 'dark', 0, 0.12, 0, 0.018);
    k.g.box(w * 0.5, h * 0.42, 0.03, 'dark', 0, 0.12 + h * 0.3, -0.025, 0.012, { lift: 1.25 });
    k.g.box(0.07, 0.05, 0.008, 'metal', 0, 0.12 + h * 0.46, -0.042, 0.004, { ao: 0 });
    k.screen(w - screenIn.rim, h - screenIn.rim, { p: [0, screenIn.up + h / 2, screenIn.front] });
  });
}

export function laptop(k: Kit, x: number, y: number, z: number, turn: number): void {
  k.at(x, y, z, turn, () => {
    k.g.box(0.36, 0.018, 0.25, 'metal', 0, 0, 0, 0.007);
    k.m.box(0.3, 0.004, 0.12, 'dark', 0, 0.018, -0.03, 0.002);
    k.g.box(0.36, 0.24, 0.014, 'metal', 0, 0.012, -0.155, 0.006, { r: [-0.25, 0, 0] });
    k.screen(0.33, 0.2, { p: [0, 0.132, -0.146], r: [-0.25, 0, 0] });
  });
}
