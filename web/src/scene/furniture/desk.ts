import type { Kit } from '../kit.ts';
import type { Builder, Item } from './item.ts';
import { bookStack, bush, cactus, deskLamp, monitor, mug, paper } from './small.ts';

const high = 0.6;
const top = high + 0.06;

/** The first monitor of a desk, in the desk's own coordinates; see `monitor`. */
export const firstMonitor = (wide: boolean) => (wide ? { x: -0.36, y: top, z: -0.16, w: 0.62, h: 0.38, turn: 0.16 } : { x: -0.06, y: top, z: -0.16, w: 0.72, h: 0.42, turn: 0 });

/** A desk; its chair is at +z. */
export const desk: Builder = (k, o) => {
  const { w, d } = o, accent = o.paint('accent', 'teal');
  frame(k, w, d, o.paint('top', 'wood_light'), accent);
  const { x, y, z, w: mw, h: mh, turn } = firstMonitor(o.flag('wide'));
  monitor(k, x, y, z, mw, mh, turn);
  if (o.flag('wide')) monitor(k, 0.3, top, -0.16, 0.62, 0.38, -0.16);
  keyboard(k);
  mug(k, w / 2 - 0.2, top, 0.16, k.pick(['terracotta', 'teal', 'mustard', 'cream', 'blush']));
  if (o.flag('lamp')) deskLamp(k, -w / 2 + 0.18, top, -0.2, 0.7, accent);
  if (o.flag('plant')) cactus(k, w / 2 - 0.16, top, -0.2); else bookStack(k, w / 2 - 0.2, top, -0.2);
  paper(k, -w / 2 + 0.2, top, 0.16, 0.25, 'white');
  paper(k, -w / 2 + 0.22, top + 0.006, 0.15, -0.1);
  k.m.box(0.075, 0.006, 0.075, 'note_yellow', -w / 2 + 0.22, top + 0.012, 0.17, 0.002, { r: [0, 0.3, 0], ao: 0 });
  trade(k, o);
};

function frame(k: Kit, w: number, d: number, board: string, accent: string): void {
  k.m.box(w, 0.06, d, board, 0, high, 0, 0.025, { ao: 0.05 });
  for (const sx of [-1, 1]) for (const sz of [-1, 1]) {
    k.m.add(k.shape.cylinder(0.032, 0.024, high, 0.005, 8), 'white', { p: [sx * (w / 2 - 0.1), 0, sz * (d / 2 - 0.1)], r: [sz * -0.05, 0, sx * 0.05] });
  }
  const x = w / 2 - 0.32;
  k.m.box(0.42, 0.44, 0.6, 'white', x, 0.14, -0.02, 0.02);
  for (let i = 0; i < 3; i++) {
    k.m.box(0.36, 0.115, 0.02, accent, x, 0.17 + i * 0.135, 0.285, 0.01, { ao: 0.05 });
    k.g.box(0.1, 0.016, 0.02, 'wood_mid', x, 0.22 + i * 0.135, 0.3, 0.004);
  }
  k.m.box(w - 0.1, 0.26, 0.03, accent, 0, high - 0.28, -d / 2 + 0.06, 0.01);
  k.m.box(w * 0.52, 0.008, 0.34, accent, -0.06, top, 0.16, 0.003, { ao: 0 });
}

function keyboard(k: Kit): void {
  k.g.box(0.4, 0.022, 0.13, 'key', -0.08, top + 0.008, 0.17, 0.008);
  for (let r = 0; r < 3; r++) k.m.box(0.36, 0.008, 0.026, r === 1 ? 'key_row_dark' : 'key_row', -0.08, top + 0.03, 0.135 + r * 0.035, 0.003, { ao: 0 });
  k.g.box(0.06, 0.03, 0.09, 'key', 0.2, top + 0.006, 0.18, 0.014);
}

/** Draws the props that show a desk's purpose from across the room. */
function trade(k: Kit, o: Item): void {
  const left = -o.w / 2;
  switch (o.purpose) {
    case 'research_desk':
      bookStack(k, left + 0.2, top, -0.02, 4);
      k.at(left + 0.42, top, -0.24, 0.4, () => {
        k.g.cyl(0.035, 0.05, 0.03, 'gold', 0, 0, 0, 0.008, 10);
        k.g.add(k.shape.sphere(0.075, 14, 10), 'sky', { p: [0, 0.11, 0] });
        k.g.add(k.shape.ico(0.055, 0), 'leaf_2', { p: [0.028, 0.125, 0.03] });
      });
      break;
    case 'dev_desk':
      k.at(left + 0.22, top, -0.14, 0.35, () => {
        k.g.box(0.14, 0.24, 0.26, 'dark', 0, 0, 0, 0.02);
        for (let i = 0; i < 3; i++) k.e.box(0.05, 0.008, 0.006, i === 1 ? 'led_amber' : 'led_green', 0, 0.15 + i * 0.025, 0.131, 0.002, { ao: 0 });
      });
      break;
    case 'design_desk':
      for (let i = 0; i < 5; i++) k.m.box(0.05, 0.006, 0.17, (['terracotta', 'mustard', 'sage', 'sky', 'plum'] as const)[i]!, left + 0.25, top + 0.002 + i * 0.003, -0.1, 0.002, { r: [0, -0.5 + i * 0.24, 0], ao: 0 });
      k.g.box(0.3, 0.012, 0.21, 'dark', 0.43, top, 0.12, 0.005, { r: [0, -0.12, 0] });
      k.m.box(0.25, 0.004, 0.16, 'sky', 0.43, top + 0.011, 0.12, 0.001, { r: [0, -0.12, 0], ao: 0 });
      cup(k, 0.5, -0.2);
      break;
    case 'writing_desk':
      for (let i = 0; i < 7; i++) paper(k, left + 0.24 + i * 0.003, top + i * 0.006, -0.06, (i % 3) * 0.09 - 0.09, i % 2 ? 'paper' : 'paper_warm');
      k.m.box(0.21, 0.02, 0.15, 'plum', 0.42, top, 0.02, 0.006, { r: [0, 0.3, 0] });
      cup(k, 0.36, -0.24);
      break;
    case 'director_desk':
      bush(k, left + 0.5, top, -0.26, 0.07, 'leaf_2', 'pot_2');
      k.m.box(0.3, 0.07, 0.05, 'wood_dark', 0.02, top, 0.36, 0.012);
      k.m.box(0.24, 0.04, 0.01, 'gold', 0.02, top + 0.015, 0.386, 0.003, { ao: 0 });
      k.g.box(0.13, 0.17, 0.02, 'gold', 0.68, top, 0.0, 0.008, { r: [-0.2, -0.5, 0] });
      k.m.box(0.1, 0.13, 0.006, 'blush', 0.675, top + 0.018, 0.012, 0.002, { r: [-0.2, -0.5, 0], ao: 0 });
      break;
  }
}

/** Draws a cup of pencils. */
function cup(k: Kit, x: number, z: number): void {
  k.m.cyl(0.04, 0.035, 0.1, 'cream', x, top, z, 0.008, 10);
  (['mustard', 'red', 'teal', 'navy'] as const).forEach((c, i) => k.m.add(k.shape.cylinder(0.006, 0.006, 0.12, 0.002, 5), c, { p: [x + Math.cos(i * 1.6) * 0.016, top + 0.06, z + Math.sin(i * 1.6) * 0.016], r: [Math.sin(i * 1.6) * 0.22, 0, -Math.cos(i * 1.6) * 0.22], ao: 0 }));
}

/** The reception, where requests arrive: a counter with a tray, a bell and a plant. People stand at +z. */
export const receptionStand: Builder = (k, o) => {
  const { w, d } = o, h = o.h - 0.06, accent = o.paint('accent', 'teal'), front = o.paint('front', 'wood_mid');
  k.m.box(w - 0.08, 0.08, d - 0.1, 'wood_dark', 0, 0, 0, 0.01);
  k.m.box(w, h - 0.08, d - 0.06, front, 0, 0.08, 0, 0.03);
  const n = Math.floor((w - 0.08) / 0.12);
  for (let i = 0; i < n; i++) for (const sz of [-1, 1]) k.m.box(0.085, h - 0.26, 0.02, i % 2 ? 'slat_dark' : 'slat_light', (i - (n - 1) / 2) * 0.12, 0.16, sz * (d / 2 - 0.02), 0.008, { ao: 0.14 });
  k.m.box(w + 0.1, 0.06, d + 0.1, o.paint('top', 'wood_light'), 0, h, 0, 0.024, { ao: 0.05 });
  k.m.box(w + 0.02, 0.07, 0.02, accent, 0, h - 0.09, d / 2 - 0.01, 0.008);
  const y = h + 0.06;
  if (o.flag('tray')) tray(k, -0.14, y, accent);
  if (o.flag('bell')) {
    k.g.cyl(0.075, 0.08, 0.02, 'wood_dark', 0.28, y, 0.1, 0.008, 16);
    k.g.add(k.shape.turned([[0, 0.062, 0, 1], [0.03, 0.058, 0.5, 1], [0.055, 0.035, 1, 0.7], [0.064, 0, 1, 0]], 16), 'gold', { p: [0.28, y + 0.02, 0.1] });
    k.g.add(k.shape.sphere(0.014, 8, 6), 'gold', { p: [0.28, y + 0.09, 0.1] });
  }
  if (o.flag('plant')) bush(k, 0.38, y, -0.1, 0.1, 'leaf_2', 'pot_2');
  // A small sign on a post, so that the place is recognizable from far away.
  k.g.cyl(0.014, 0.014, 0.34, 'wood_dark', -0.44, y, -0.12, 0.004, 8);
  k.m.box(0.3, 0.19, 0.03, accent, -0.44, y + 0.3, -0.12, 0.014);
  for (const face of [-1, 1]) {
    k.m.box(0.19, 0.12, 0.012, 'paper', -0.44, y + 0.335, -0.12 + face * 0.018, 0.004, { ao: 0 });
    for (const s of [-1, 1]) k.m.box(0.112, 0.014, 0.006, 'terracotta', -0.44 + s * 0.045, y + 0.4, -0.12 + face * 0.025, 0, { r: [0, 0, s * 0.55], ao: 0 });
  }
};

function tray(k: Kit, x: number, y: number, accent: string): void {
  for (let i = 0; i < 2; i++) {
    k.m.box(0.34, 0.014, 0.26, accent, x, y + i * 0.1, 0.02, 0.006);
    for (const s of [-1, 1]) k.m.box(0.014, 0.06, 0.26, accent, x + s * 0.163, y + i * 0.1, 0.02, 0.006);
    k.m.box(0.34, 0.06, 0.014, accent, x, y + i * 0.1, -0.103, 0.006);
  }
  for (const sx of [-1, 1]) k.g.cyl(0.008, 0.008, 0.1, 'metal', x + sx * 0.15, y, -0.09, 0.002, 6);
  for (let i = 0; i < 3; i++) paper(k, x - 0.02 + i * 0.01, y + 0.014 + i * 0.006, 0.02, 0.1 - i * 0.12);
  paper(k, x, y + 0.114, 0.02, -0.06, 'paper_warm');
}
