import { BufferGeometry, Float32BufferAttribute, IcosahedronGeometry } from 'three';
import { ball, dome, limb, Part, ring, Sculpt, Slot } from './rig_sculpt.ts';
import type { HairStyle } from '../look/identity.ts';

/**
 * The shape of a cap of hair, by direction (0 is the face, π the back): the angle from the crown at which it
 * ends, and its distance from the head.
 */
interface Cut { end(dir: number): number; lift(dir: number, t: number): number; around?: number; down?: number }

const SKULL = 0.25;
/** Returns how far a direction points towards the face: 1 at the face, 0 at the back. */
const front = (dir: number) => 0.5 + 0.5 * Math.cos(dir);
const smooth = (a: number, b: number, x: number) => { const t = Math.min(1, Math.max(0, (x - a) / (b - a))); return t * t * (3 - 2 * t); };

/** Returns a cap of hair as one sheet that tapers into the skin at its rim, so no edge shows. */
function cap(cut: Cut): BufferGeometry {
  const around = cut.around ?? 18, down = cut.down ?? 6;
  const pos: number[] = [0, SKULL + cut.lift(0, 0), 0], idx: number[] = [];
  for (let j = 1; j <= down; j++) for (let i = 0; i < around; i++) {
    const dir = (i / around) * Math.PI * 2, t = j / down, theta = cut.end(dir) * t;
    const r = SKULL + cut.lift(dir, t) * (j === down ? 0.15 : 1) - (j === down ? 0.004 : 0);
    pos.push(Math.sin(dir) * Math.sin(theta) * r, Math.cos(theta) * r, Math.cos(dir) * Math.sin(theta) * r);
  }
  for (let i = 0; i < around; i++) {
    const n = (i + 1) % around;
    idx.push(0, 1 + i, 1 + n);
    for (let j = 0; j < down - 1; j++) {
      const a = 1 + j * around + i, b = 1 + j * around + n, c = a + around, d = b + around;
      idx.push(a, c, b, b, c, d);
    }
  }
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(pos, 3));
  g.setIndex(idx);
  g.computeVertexNormals();
  return g;
}

const wear = (s: Sculpt, cut: Cut) => s.add(cap(cut), Part.head, Slot.hair, { at: [0, 1.005, -0.008], size: [1.01, 0.97, 0.98] });
/**
 * Returns a hairline that goes from the forehead over the ears to the neck, given its angles at the face and at the
 * back.
 */
const line = (face: number, back: number) => (dir: number) => back + (face - back) * smooth(0.3, 0.8, front(dir));

const makers: Record<HairStyle, () => BufferGeometry> = {
  short() {
    const end = line(0.98, 1.95);
    const s = wear(new Sculpt(), { end: d => end(d) + Math.abs(Math.sin(d * 4.5)) * 0.12, lift: (d, t) => 0.03 + 0.016 * Math.sin(d * 7) * t });
    for (const [x, tilt] of [[-0.07, 0.4], [0.05, -0.25]] as const) s.add(ball(0.085, 7, 5), Part.head, Slot.hair, { at: [x, 1.19, 0.135], turn: [0.5, 0, tilt], size: [1.25, 0.55, 0.8] });
    return s.geometry();
  },
  bob() {
    const end = line(1.0, 2.35);
    return wear(new Sculpt(), { end: d => end(d) + Math.abs(Math.sin(d * 5)) * 0.06, lift: (d, t) => 0.032 + 0.04 * smooth(0.3, 1, t) * (1 - front(d) * 0.7), around: 20, down: 8 }).geometry();
  },
  bun() {
    const s = wear(new Sculpt(), { end: line(0.9, 1.85), lift: () => 0.024 });
    s.add(ball(0.11, 9, 6), Part.head, Slot.hair, { at: [0, 1.3, -0.08], size: [1, 0.9, 1] });
    s.add(ring(0.07, 0.018, 4, 9), Part.head, Slot.top, { at: [0, 1.245, -0.06], turn: [Math.PI / 2 - 0.3, 0, 0] });
    return s.geometry();
  },
  tail() {
    const s = wear(new Sculpt(), { end: d => line(0.92, 1.8)(d) + 0.1 * Math.sin(d * 2 + 0.6), lift: () => 0.026 });
    s.add(limb(0.075, 0.22, 8), Part.head, Slot.hair, { at: [0, 0.99, -0.315], turn: [0.42, 0, 0], size: [1, 1, 0.85] });
    s.add(ball(0.052, 6, 4), Part.head, Slot.top, { at: [0, 1.115, -0.25] });
    return s.geometry();
  },
  beanie() {
    const s = new Sculpt();
    s.add(dome(0.276, 14, 5, 1.4), Part.head, Slot.top, { at: [0, 1.03, -0.008], turn: [-0.2, 0, 0] });
    s.add(ring(0.258, 0.036, 5, 14), Part.head, Slot.top, { at: [0, 1.075, 0.005], turn: [Math.PI / 2 - 0.2, 0, 0] });
    s.add(ball(0.06, 7, 5), Part.head, Slot.white, { at: [0, 1.325, -0.06] });
    s.add(ball(0.2, 8, 5), Part.head, Slot.hair, { at: [0, 0.98, -0.09], size: [1.18, 0.8, 0.9] });
    return s.geometry();
  },
  curly() {
    const s = wear(new Sculpt(), { end: line(0.95, 1.8), lift: () => 0.03, around: 12, down: 4 });
    for (let i = 0, placed = 0; i < 16 && placed < 13; i++) {
      const a = i * 2.399, y = Math.sin(1.45 - (i / 16) * 1.35), r = Math.cos(1.45 - (i / 16) * 1.35), z = Math.sin(a) * r;
      if (z > 0.55 && y < 0.6) continue;
      placed++;
      s.add(new IcosahedronGeometry(0.1, 0), Part.head, Slot.hair, { at: [Math.cos(a) * r * 0.235, 1.02 + y * 0.235, z * 0.235 - 0.015], turn: [i, i, 0] });
    }
    return s.geometry();
  },
  long() {
    const end = line(0.95, 2.5);
    const s = wear(new Sculpt(), { end: d => end(d) + 0.05 * Math.sin(d * 2), lift: (d, t) => 0.03 + 0.05 * smooth(0.4, 0.9, t) * (1 - front(d)), around: 18, down: 7 });
    s.add(ball(0.2, 9, 6), Part.head, Slot.hair, { at: [0, 0.79, -0.15], size: [1.08, 0.95, 0.52] });
    return s.geometry();
  },
  quiff() {
    const s = wear(new Sculpt(), { end: line(0.9, 1.75), lift: (d, t) => 0.02 + 0.028 * front(d) * (1 - t * 0.5), around: 16, down: 5 });
    s.add(ball(0.13, 8, 6), Part.head, Slot.hair, { at: [0.03, 1.235, 0.105], turn: [-0.35, 0.2, -0.2], size: [1.3, 0.62, 0.95] });
    s.add(ball(0.08, 6, 5), Part.head, Slot.hair, { at: [-0.12, 1.2, 0.12], turn: [0, 0, 0.5], size: [1.1, 0.6, 0.8] });
    return s.geometry();
  },
  cropped() {
    return wear(new Sculpt(), { end: line(0.86, 1.7), lift: () => 0.012, around: 16, down: 5 }).geometry();
  },
};

export const hairGeometry = (style: HairStyle): BufferGeometry => makers[style]();
