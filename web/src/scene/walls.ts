import type { SceneWindow } from '../contracts/protocol.gen.ts';
import type { Kit } from './kit.ts';

const wainscot = 0.98;
const plankWidth = 0.48;
const plankGap = 0.014;

/** A hole in a wall, in the wall's frame: x along the wall, z into the room. */
interface Hole { x: number; w: number; y0: number; y1: number; curtain: string | undefined }

/** Draws the slab, the planks and the two walls. */
export function buildShell(k: Kit): void {
  const { w, d, h, wall_thickness: t, windows } = k.manifest.room;
  base(k, w, d);
  planks(k, w, d);
  const along = (wall: SceneWindow['wall'], turn: number) => windows.filter(x => x.wall === wall).map(x => ({ x: turn * x.centre, w: x.w, y0: x.y0, y1: x.y1, curtain: x.curtain })).sort((a, b) => a.x - b.x);
  k.on('left', () => k.at(-w / 2, 0, 0, Math.PI / 2, () => wall(k, d, along('left', -1), part(k, 'wainscot_left', 'wall_low_left'))));
  k.on('back', () => {
    k.at(0, 0, -d / 2, 0, () => wall(k, w, along('back', 1), part(k, 'wainscot_back', 'wall_low_back')));
    k.m.box(t + 0.06, h + 0.07, t + 0.06, part(k, 'cap', 'wall_top'), -w / 2 - t / 2, 0, -d / 2 - t / 2, 0.02);
  });
}

const part = (k: Kit, name: string, fallback: string): string => k.manifest.room.style?.[name] ?? fallback;

function base(k: Kit, w: number, d: number): void {
  k.m.box(w + 0.9, 0.5, d + 0.9, part(k, 'slab', 'slab'), 0, -0.62, 0, 0.16, { ao: 0.5, shadeless: true });
  k.m.box(w + 0.62, 0.1, d + 0.62, part(k, 'ledge', 'wood_cream'), 0, -0.13, 0, 0.045, { shadeless: true });
  k.floor.add(k.shape.box(w, 0.06, d, 0.01), part(k, 'plank_gap', 'plank_gap'), { p: [0, -0.05, 0] });
}

function planks(k: Kit, w: number, d: number): void {
  const woods = ['plank_1', 'plank_2', 'plank_3', 'plank_4', 'plank_5'].filter(p => p in k.manifest.palette);
  if (woods.length === 0) woods.push(part(k, 'plank', 'wood_light'));
  for (let row = 0; row * plankWidth < d; row++) {
    const z0 = -d / 2 + row * plankWidth, wide = Math.min(plankWidth, d / 2 - z0);
    for (let x = -w / 2 - k.random() * 1.4; x < w / 2;) {
      const x1 = x + 1.7 + k.random() * 1.5, from = Math.max(x, -w / 2), to = Math.min(x1, w / 2), lift = 1 + (k.random() - 0.5) * 0.05;
      if (to - from > 0.03) k.floor.add(k.shape.box(to - from - plankGap, 0.05, wide - plankGap, 0.012), k.pick(woods), { p: [(from + to) / 2, -0.024, z0 + wide / 2], ao: 0.1, lift });
      x = x1;
    }
  }
}

function wall(k: Kit, len: number, holes: Hole[], low: string): void {
  const { h, wall_thickness: t } = k.manifest.room, upper = part(k, 'wall', 'wall_up');
  const slab = (x0: number, x1: number, y0: number, y1: number, paint: string, ao: number) => { if (x1 - x0 > 0.01 && y1 - y0 > 0.01) k.m.box(x1 - x0, y1 - y0, t, paint, (x0 + x1) / 2, y0, -t / 2, 0, { ao }); };
  const column = (x0: number, x1: number) => { slab(x0, x1, 0, wainscot, low, 0.22); slab(x0, x1, wainscot, h, upper, 0.05); };
  let x = -len / 2;
  for (const o of holes) {
    const a = o.x - o.w / 2, b = o.x + o.w / 2;
    column(x, a);
    slab(a, b, 0, Math.min(wainscot, o.y0), low, 0.22);
    slab(a, b, wainscot, o.y0, upper, 0.06);
    slab(a, b, o.y1, h, upper, 0.06);
    frame(k, o, t);
    if (o.curtain) curtains(k, o, o.curtain);
    x = b;
  }
  column(x, len / 2);
  trim(k, len, holes, low);
  k.m.box(len, 0.07, t + 0.06, part(k, 'cap', 'wall_top'), 0, h, -t / 2, 0.03);
}

function frame(k: Kit, o: Hole, t: number): void {
  const f = 0.09, z = -t / 2 + 0.02, high = o.y1 - o.y0;
  k.m.box(o.w + f, f, 0.18, 'white', o.x, o.y1 - f / 2, z + 0.02, 0.02);
  for (const s of [-1, 1]) k.m.box(f, high, 0.12, 'white', o.x + s * (o.w / 2 - f / 2), o.y0, z, 0.02);
  k.m.box(o.w + 0.24, 0.07, 0.36, 'white', o.x, o.y0 - 0.04, 0.02, 0.025);
  k.m.box(0.05, high, 0.06, 'white', o.x, o.y0, z, 0.012);
  k.m.box(o.w, 0.05, 0.06, 'white', o.x, o.y0 + high * 0.62, z, 0.012);
}

function curtains(k: Kit, o: Hole, paint: string): void {
  const rod = o.w + 0.7, top = o.y1 + 0.14;
  k.m.add(k.shape.cylinder(0.018, 0.018, rod, 0.004, 8), 'wood_dark', { p: [o.x - rod / 2, top, 0.11], r: [0, 0, -Math.PI / 2] });
  for (const s of [-1, 1]) {
    k.g.add(k.shape.sphere(0.032, 8, 6), 'wood_dark', { p: [o.x + (s * rod) / 2, top, 0.11] });
    k.at(o.x + s * (o.w / 2 + 0.13), o.y0 - 0.05, 0.11, 0, () => {
      for (let i = 0; i < 4; i++) k.m.add(k.shape.cylinder(0.05, 0.065, top - o.y0 + 0.04, 0.01, 10), paint, { p: [i * 0.085 - 0.13, 0, 0], s: [1, 1, 0.7], ao: 0.25 });
      k.m.box(0.38, 0.035, 0.12, paint, 0, 0.55, 0, 0.014, { lift: 0.8, ao: 0 });
    });
  }
}

/** Draws the rail, skirting and wainscot panels of a wall. */
function trim(k: Kit, len: number, holes: Hole[], low: string): void {
  let from = -len / 2;
  const rail = (a: number, b: number) => { if (b - a > 0.02) k.m.box(b - a, 0.07, 0.06, part(k, 'rail', 'rail'), (a + b) / 2, wainscot - 0.03, 0.02, 0.02); };
  for (const o of holes) if (o.y0 < wainscot + 0.03) { rail(from, o.x - o.w / 2); from = o.x + o.w / 2; }
  rail(from, len / 2);
  k.m.box(len, 0.13, 0.05, part(k, 'skirting', 'skirting'), 0, 0, 0.02, 0.02);
  for (let x = -len / 2 + 0.12; x < len / 2 - 0.3; x += 0.8) {
    const wide = Math.min(0.66, len / 2 - 0.1 - x);
    k.m.box(wide, 0.62, 0.02, low, x + wide / 2 + 0.03, 0.22, 0, 0.012, { ao: 0.1, lift: 1.07 });
  }
}
