import type { Builder } from './item.ts';

// Chairs, sofas and other seats. A chair's back is at +z, a sofa's at -z.

const cushion: (accent: string, post: string) => Builder = (accent, post) => k => {
  k.m.box(0.5, 0.09, 0.48, accent, 0, 0.33, 0, 0.04);
  k.m.box(0.46, 0.44, 0.08, accent, 0, 0.5, 0.24, 0.04, { r: [0.1, 0, 0] });
  k.m.box(0.06, 0.2, 0.03, post, 0, 0.36, 0.28, 0.01);
};

export const officeChair: Builder = (k, o) => {
  for (let i = 0; i < 5; i++) {
    const a = i * 1.2566, c = Math.cos(a), s = Math.sin(a);
    k.g.add(k.shape.box(0.26, 0.035, 0.05, 0.012), 'dark', { p: [c * 0.13, 0.07, s * 0.13], r: [0, -a, 0] });
    k.g.add(k.shape.sphere(0.035, 7, 5), 'dark', { p: [c * 0.25, 0.035, s * 0.25] });
  }
  k.g.cyl(0.03, 0.03, 0.26, 'metal', 0, 0.07, 0, 0.005, 8);
  cushion(o.paint('accent', 'teal'), 'dark')(k, o);
};

export const meetingChair: Builder = (k, o) => {
  const legs = o.paint('legs', 'wood_mid');
  for (const sx of [-1, 1]) for (const sz of [-1, 1]) k.m.add(k.shape.cylinder(0.026, 0.018, 0.36, 0.004, 8), legs, { p: [sx * 0.19, 0, sz * 0.17], r: [sz * -0.08, 0, sx * 0.08] });
  cushion(o.paint('accent', 'mustard'), legs)(k, o);
};

export const stool: Builder = (k, o) => {
  k.m.cyl(0.19, 0.17, 0.07, o.paint('accent', 'terracotta'), 0, o.h - 0.07, 0, 0.03, 18);
  for (let i = 0; i < 4; i++) {
    const a = i * 1.57 + 0.78;
    k.m.add(k.shape.cylinder(0.018, 0.022, 0.44, 0.004, 6), o.paint('legs', 'wood_dark'), { p: [Math.cos(a) * 0.17, 0, Math.sin(a) * 0.17], r: [Math.sin(a) * -0.18, 0, Math.cos(a) * 0.18] });
  }
  k.m.add(k.shape.ring(0.145, 0.011, 5, 16), 'gold', { p: [0, 0.16, 0], r: [Math.PI / 2, 0, 0] });
};

export const sofa: Builder = (k, o) => {
  const accent = o.paint('accent', 'mustard'), soft = o.paint('cushion', 'sofa_cushion'), w = o.w - 0.1;
  for (const sx of [-1, 1]) for (const sz of [-1, 1]) k.m.cyl(0.035, 0.025, 0.12, 'wood_dark', sx * (w / 2 - 0.15), 0, sz * 0.32, 0.005, 8);
  k.m.box(w, 0.24, 0.9, accent, 0, 0.1, 0, 0.07);
  k.m.box(w, 0.62, 0.26, accent, 0, 0.22, -0.36, 0.11, { ao: 0.1 });
  const seat = w / 2 - 0.2;
  for (const sx of [-1, 1]) {
    k.m.box(0.26, 0.46, 0.92, accent, sx * (w / 2 - 0.07), 0.1, 0, 0.1);
    k.m.box(seat - 0.02, 0.17, 0.66, soft, sx * seat / 2, 0.31, 0.1, 0.075);
    k.m.box(seat - 0.05, 0.4, 0.2, soft, sx * seat / 2, 0.42, -0.2, 0.09, { r: [-0.14, 0, 0] });
  }
  const pillows = o.paints('pillows', ['teal', 'blush']);
  k.m.box(0.38, 0.38, 0.15, pillows[0]!, -w / 2 + 0.43, 0.46, -0.03, 0.07, { r: [-0.35, 0.25, 0.12] });
  if (pillows[1]) k.m.box(0.36, 0.36, 0.15, pillows[1], w / 2 - 0.45, 0.46, -0.02, 0.07, { r: [-0.35, -0.3, -0.1] });
  const cloth = o.paint('throw', 'cream');
  k.m.box(0.62, 0.03, 0.5, cloth, 0.2, 0.475, 0.22, 0.014, { r: [0, 0.1, 0] });
  k.m.box(0.62, 0.16, 0.03, cloth, 0.2, 0.34, 0.47, 0.014);
  for (let i = 0; i < 7; i++) k.m.box(0.03, 0.05, 0.012, cloth, -0.08 + i * 0.09, 0.3, 0.475, 0.004, { ao: 0 });
};

export const armchair: Builder = (k, o) => {
  const accent = o.paint('accent', 'teal');
  for (const sx of [-1, 1]) for (const sz of [-1, 1]) k.m.cyl(0.03, 0.02, 0.14, 'wood_dark', sx * 0.3, 0, sz * 0.28, 0.005, 8);
  k.m.box(0.84, 0.22, 0.78, accent, 0, 0.13, 0, 0.08);
  k.m.box(0.84, 0.58, 0.22, accent, 0, 0.24, -0.32, 0.1);
  for (const sx of [-1, 1]) k.m.box(0.18, 0.34, 0.76, accent, sx * 0.38, 0.16, 0.02, 0.08);
  k.m.box(0.58, 0.14, 0.56, o.paint('cushion', 'armchair_cushion'), 0, 0.33, 0.06, 0.06);
  k.m.box(0.32, 0.32, 0.13, o.paints('pillows', ['mustard'])[0]!, 0, 0.44, -0.12, 0.06, { r: [-0.3, 0, 0.1] });
};

export const beanbag: Builder = (k, o) => {
  k.m.add(k.shape.turned([
    [0.001, 0.7, 0, 1], [0.06, 0.69, 0.4, 1], [0.12, 0.62, 1, 0.4], [0.2, 0.46, 1, 0.75], [0.36, 0.3, 1, 0.8], [0.44, 0.16, 1, 0.1], [0.41, 0.05, 1, -0.6], [0.3, 0, 0, -1],
  ], 18), o.paint('accent', 'terracotta'), { ao: 0.3, r: [-0.16, 0, 0] });
  k.m.add(k.shape.sphere(0.3, 16, 10), o.paint('seat', 'beanbag_clay'), { p: [0, 0.27, 0.13], s: [1.05, 0.42, 0.95], ao: 0.2 });
};
