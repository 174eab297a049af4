import type { SceneManifest } from '../contracts/protocol.gen.ts';

/** The darkness of each texel of the floor, 0 to 255, row by row from the back. */
export interface Shade { width: number; height: number; dark: Uint8Array }

const perMetre = 32;

/**
 * Computes the contact shadows of the furniture from all footprints: a wide soft shadow
 * plus a tight one. The blur, the only costly step, runs once for the whole floor. With `walls` the floor along both
 * walls is dark too.
 */
export function floorShade(manifest: SceneManifest, walls = true): Shade {
  const { w, d } = manifest.room, width = Math.round(w * perMetre), height = Math.round(d * perMetre);
  const wide = new Float32Array(width * height), tight = new Float32Array(width * height);
  for (const o of manifest.objects) {
    const f = o.footprint;
    if (f.shape === 'none' || !f.shade) continue;
    const turn = o.rotation_y, [ox, oz] = f.offset ?? [0, 0];
    const x = o.pos[0] + ox * Math.cos(turn) + oz * Math.sin(turn), z = o.pos[2] - ox * Math.sin(turn) + oz * Math.cos(turn);
    const at = { cx: (x + w / 2) * perMetre, cz: (z + d / 2) * perMetre, turn, round: f.shape === 'ellipse' };
    stamp(wide, width, height, { ...at, w: ((f.w ?? 0) + 0.35) * perMetre, d: ((f.d ?? 0) + 0.35) * perMetre, dark: f.shade * 0.5 });
    stamp(tight, width, height, { ...at, w: ((f.w ?? 0) + 0.02) * perMetre, d: ((f.d ?? 0) + 0.02) * perMetre, dark: f.shade * 0.6 });
  }
  if (walls) for (let j = 0; j < height; j++) for (let i = 0; i < width; i++) if (i < 20 || j < 20) over(wide, j * width + i, 0.5);
  blur(wide, width, height, 9);
  blur(tight, width, height, 3);
  const dark = new Uint8Array(width * height);
  for (let i = 0; i < dark.length; i++) dark[i] = Math.round(255 * (1 - (1 - wide[i]!) * (1 - tight[i]!)));
  return { width, height, dark };
}

interface Stamp { cx: number; cz: number; w: number; d: number; turn: number; round: boolean; dark: number }

/** Darkens one texel, on top of its present darkness. */
function over(map: Float32Array, i: number, dark: number): void { map[i] = 1 - (1 - map[i]!) * (1 - dark); }

function stamp(map: Float32Array, width: number, height: number, s: Stamp): void {
  const reach = Math.hypot(s.w, s.d) / 2, c = Math.cos(s.turn), n = Math.sin(s.turn);
  const i0 = Math.max(0, Math.floor(s.cx - reach)), i1 = Math.min(width - 1, Math.ceil(s.cx + reach));
  const j0 = Math.max(0, Math.floor(s.cz - reach)), j1 = Math.min(height - 1, Math.ceil(s.cz + reach));
  for (let j = j0; j <= j1; j++) for (let i = i0; i <= i1; i++) {
    const dx = i + 0.5 - s.cx, dz = j + 0.5 - s.cz, x = Math.abs(dx * c - dz * n) / (s.w / 2), z = Math.abs(dx * n + dz * c) / (s.d / 2);
    if (s.round ? x * x + z * z <= 1 : x <= 1 && z <= 1) over(map, j * width + i, s.dark);
  }
}

/** Blurs with three box filters, which approximate a Gaussian with this standard deviation. */
function blur(map: Float32Array, width: number, height: number, deviation: number): void {
  const r = Math.max(1, Math.round((Math.sqrt(4 * deviation * deviation + 1) - 1) / 2)), tmp = new Float32Array(map.length);
  for (let pass = 0; pass < 3; pass++) {
    for (let j = 0; j < height; j++) slide(map, tmp, j * width, 1, width, r);
    for (let i = 0; i < width; i++) slide(tmp, map, i, width, height, r);
  }
}

/** Computes a running mean along one line; beyond the ends the last value is repeated. */
function slide(from: Float32Array, to: Float32Array, start: number, step: number, n: number, r: number): void {
  const at = (i: number) => from[start + Math.min(n - 1, Math.max(0, i)) * step]!, share = 1 / (2 * r + 1);
  let sum = 0;
  for (let i = -r; i <= r; i++) sum += at(i);
  for (let i = 0; i < n; i++) {
    to[start + i * step] = sum * share;
    sum += at(i + r + 1) - at(i - r);
  }
}
