import type { Builder } from './item.ts';

// Rugs are flat: they have no shading of their own, and the floor's contact shadow covers them.

export const rugRound: Builder = (k, o) => {
  const rings = o.paints('rings', ['terracotta', 'cream']);
  rings.forEach((color, i) => {
    const r = (o.w / 2) * (1 - i / rings.length);
    k.m.cyl(r, r, 0.022 + i * 0.005, color, 0, 0, 0, 0.008, 48, { ao: 0 });
  });
};

export const rugRect: Builder = (k, o) => {
  const { w, d } = o, color = o.paint('color', 'rug_mint'), stripe = o.paint('stripe', 'rug_ivory'), accent = o.paint('accent', 'teal');
  k.m.box(w, 0.022, d, color, 0, 0.001, 0, 0.01, { ao: 0 });
  k.m.box(w - 0.22, 0.024, d - 0.22, stripe, 0, 0.003, 0, 0.002, { ao: 0 });
  k.m.box(w - 0.34, 0.026, d - 0.34, color, 0, 0.005, 0, 0.002, { ao: 0 });
  // A second, thin frame and small diamonds along it, where no furniture hides them.
  k.m.box(w - 0.56, 0.027, d - 0.56, accent, 0, 0.006, 0, 0, { ao: 0 });
  k.m.box(w - 0.62, 0.028, d - 0.62, color, 0, 0.007, 0, 0, { ao: 0 });
  const n = Math.floor((w - 0.9) / 0.36);
  for (let i = 0; i < n; i++) for (const s of [-1, 1]) k.m.box(0.085, 0.004, 0.085, i % 2 ? stripe : accent, (i - (n - 1) / 2) * 0.36, 0.034, s * (d / 2 - 0.43), 0, { ao: 0 });
  for (let i = 0; i < Math.floor(d / 0.09); i++) for (const sx of [-1, 1]) k.m.box(0.09, 0.012, 0.03, o.paint('fringe', 'cream'), sx * (w / 2 + 0.045), 0.002, -d / 2 + 0.045 + i * 0.09, 0, { ao: 0 });
};
