import * as T from 'three';
import type { Kit } from '../kit.ts';
import type { Builder } from './item.ts';

// Objects that hang on a wall and are hidden together with it.

const notes = ['note_yellow', 'note_rose', 'note_mint', 'note_sky'] as const;

/** The task board without its cards, which props_board.ts draws; `notes` is the number of blank notes in each column. */
export const taskBoard: Builder = (k, o) => k.hung(() => {
  const { w, h } = o, foot = 1.2, blank = o.numbers('notes', []), frame = o.paint('frame', 'wood_mid'), columns = o.paints('columns', ['terracotta', 'mustard', 'teal']);
  const step = (w - 0.12) / columns.length;
  k.m.box(w, h, 0.05, frame, 0, foot, 0.05, 0.02);
  k.m.box(w - 0.12, h - 0.12, 0.03, 'board', 0, foot + 0.06, 0.07, 0.008, { ao: 0 });
  columns.forEach((color, i) => {
    const x = (i - (columns.length - 1) / 2) * step;
    k.m.box(step * 0.64, 0.07, 0.01, color, x, foot + h - 0.19, 0.088, 0.004, { ao: 0 });
    if (i > 0) k.m.box(0.012, h - 0.28, 0.01, 'rule', x - step / 2, foot + 0.1, 0.088, 0.002, { ao: 0 });
    k.m.box(0.12, 0.025, 0.025, color, -0.3 + i * 0.2, foot, 0.12, 0.01);
    for (let n = 0; n < (blank[i] ?? 0); n++) k.m.box(step * 0.6, 0.17, 0.01, notes[(i + n) % 4]!, x, foot + h - 0.42 - n * 0.22, 0.09, 0.004, { ao: 0 });
  });
  k.m.box(w - 0.3, 0.03, 0.1, frame, 0, foot - 0.03, 0.12, 0.01);
  k.m.box(0.16, 0.05, 0.06, 'navy', 0.72, foot, 0.12, 0.012);
});

/** A clock without its hands, which clock_hands.ts draws. */
export const wallClock: Builder = (k, o) => k.hung(() => {
  const r = o.w / 2, lie: [number, number, number] = [Math.PI / 2, 0, 0];
  k.g.add(k.shape.cylinder(r, r, 0.05, 0.02, 24), o.paint('accent', 'wood_dark'), { r: lie });
  k.m.add(k.shape.cylinder(r - 0.035, r - 0.035, 0.052, 0.006, 24), 'dial', { r: lie, ao: 0 });
  for (let i = 0; i < 12; i++) { const a = (i / 12) * Math.PI * 2; k.m.box(0.01, i % 3 ? 0.016 : 0.03, 0.006, 'dark', Math.sin(a) * (r - 0.06), Math.cos(a) * (r - 0.06) - 0.012, 0.055, 0, { r: [0, 0, -a], ao: 0 }); }
});

export const pictureFrame: Builder = (k, o) => k.hung(() => {
  const { w, h } = o;
  k.m.box(w, h, 0.04, o.paint('accent', 'wood_dark'), 0, -h / 2, 0.02, 0.012);
  k.m.box(w - 0.07, h - 0.07, 0.03, 'cream', 0, -h / 2 + 0.035, 0.03, 0.004, { ao: 0 });
  const draw = o.paint('art', 'mountain') === 'leaf' ? leafArt : mountainArt;
  draw(k, w - 0.13, h - 0.13);
});

function mountainArt(k: Kit, w: number, h: number): void {
  k.m.box(w, h * 0.45, 0.012, 'sky', 0, h * 0.05, 0.046, 0, { ao: 0 });
  k.m.box(w, h * 0.55, 0.012, 'sunset', 0, -h / 2, 0.046, 0, { ao: 0 });
  k.m.add(k.shape.cylinder(w * 0.17, w * 0.17, 0.014, 0.002, 16), 'sun_disc', { p: [w * 0.14, h * 0.12, 0.046], r: [Math.PI / 2, 0, 0], ao: 0 });
  k.m.add(k.shape.pyramid(w * 0.32, h * 0.5), 'teal', { p: [-w * 0.14, -h * 0.2, 0.05], s: [1, 1, 0.06], ao: 0.2 });
  k.m.add(k.shape.pyramid(w * 0.24, h * 0.34), 'navy', { p: [w * 0.18, -h * 0.27, 0.052], s: [1, 1, 0.06], ao: 0.2 });
}

function leafArt(k: Kit, w: number, h: number): void {
  k.m.box(w, h, 0.012, 'blush', 0, -h / 2, 0.046, 0, { ao: 0 });
  k.m.add(k.shape.leaf(h * 0.7, w * 0.5, 0.2), 'leaf_3', { p: [0, -h * 0.36, 0.06], r: [-Math.PI / 2, 0, Math.PI], s: [1, 0.15, 1], ao: 0 });
}

/** A string of bulbs from the object's position to `to`, a point in the room. */
export const stringLights: Builder = (k, o) => k.hung(() => {
  const [x, y, z] = o.object.pos, to = o.numbers('to', [x + 2, y, z]), swags = o.number('swags', 4), sag = o.number('sag', 0.2);
  const end = new T.Vector3((to[0] ?? x) - x, (to[1] ?? y) - y, (to[2] ?? z) - z), points: T.Vector3[] = [], steps = swags * 8;
  for (let i = 0; i <= steps; i++) {
    const t = i / steps, f = (t * swags) % 1;
    points.push(end.clone().multiplyScalar(t).add(new T.Vector3(0, -sag * 4 * f * (1 - f), 0)));
  }
  const { shape, curve } = k.shape.tube(points, 0.01, swags * 20), bulbs = swags * 5;
  k.m.add(shape, 'wire', { ao: 0 });
  for (let i = 0; i < bulbs; i++) {
    const p = curve.getPoint((i + 0.5) / bulbs);
    k.m.cyl(0.014, 0.018, 0.03, 'wire', p.x, p.y - 0.03, p.z, 0.003, 6, { ao: 0 });
    k.e.add(k.shape.sphere(0.042, 8, 6), (['bulb_1', 'bulb_2', 'bulb_3'] as const)[i % 3]!, { p: [p.x, p.y - 0.06, p.z], ao: 0 });
    k.glow(p.x, p.y - 0.06, p.z, 0.42);
  }
});
