import { BoxGeometry, type BufferGeometry, OctahedronGeometry } from 'three';
import { ball, dome, limb, Part, ring, Sculpt, Slot, soft, turned } from './rig_sculpt.ts';

const SIDES = [[-1, Part.legLeft, Part.armLeft], [1, Part.legRight, Part.armRight]] as const;

/**
 * Returns the body that everyone shares, without hair or accessories: 1.25 m tall, facing +z, feet at y = 0. The first
 * `userData.plain` entries of its index draw everything that is visible from far away.
 */
export function bodyGeometry(): BufferGeometry {
  const s = new Sculpt();
  for (const [side, leg, arm] of SIDES) {
    s.add(limb(0.074, 0.16, 8), leg, Slot.trousers, { at: [side * 0.085, 0.2, 0] });
    s.add(soft(0.128, 0.09, 0.205, 0.036), leg, Slot.dark, { at: [side * 0.085, 0.05, 0.03] });
    s.add(new BoxGeometry(0.124, 0.022, 0.2), leg, Slot.white, { at: [side * 0.085, 0.012, 0.03], shade: 0 });
    s.add(limb(0.053, 0.2, 8), arm, Slot.top, { at: [side * 0.195, 0.565, 0], turn: [0, 0, side * 0.16] });
    s.add(ball(0.057, 7, 5), arm, Slot.skin, { at: [side * 0.225, 0.415, 0.005] });
  }
  torso(s);
  const plain = head(s);
  face(s);
  const g = s.geometry();
  g.userData.plain = plain;
  return g;
}

function torso(s: Sculpt): void {
  const oval = [1, 1, 0.82] as const;
  s.add(turned([[0.001, 0.77, 0, 1], [0.07, 0.765, 0.5, 1], [0.125, 0.72, 1, 0.9], [0.155, 0.62, 1, 0.2], [0.175, 0.46, 1, 0.05], [0.182, 0.37, 1, 0], [0.178, 0.335, 1, -0.4]], 14), Part.body, Slot.top, { at: [0, 0, 0], size: oval, shade: 0.18 });
  s.add(turned([[0.178, 0.345, 1, 0], [0.172, 0.27, 1, -0.3], [0.001, 0.22, 0, -1]], 14), Part.body, Slot.trousers, { at: [0, 0, 0], size: oval });
  s.add(turned([[0.085, 0.785, 0, 1], [0.1, 0.765, 1, 0.6], [0.105, 0.745, 1, -0.6]], 10), Part.body, Slot.white, { at: [0, 0, 0.004], size: [1, 1, 0.9], shade: 0 });
}

/** Draws the head with its eyes; returns the length of the index after the head. */
function head(s: Sculpt): number {
  s.add(ball(0.25, 14, 9), Part.head, Slot.skin, { at: [0, 1, 0], size: [1, 0.93, 0.94], shade: 0.1 });
  for (const side of [-1, 1]) s.add(ball(0.032, 6, 4), Part.head, Slot.eye, { at: [side * 0.088, 0.985, 0.216], turn: [0, side * 0.35, 0], size: [0.85, 1.15, 0.45], shade: 0 });
  return s.length;
}

function face(s: Sculpt): void {
  for (const side of [-1, 1]) {
    s.add(ball(0.045, 6, 4), Part.head, Slot.skin, { at: [side * 0.245, 0.975, 0], size: [0.5, 1, 0.8] });
    s.add(new OctahedronGeometry(0.0105), Part.head, Slot.glint, { at: [side * 0.088 + 0.009, 1, 0.232], shade: 0 });
    s.add(dome(0.036, 8, 2), Part.head, Slot.blush, { at: [side * 0.142, 0.925, 0.182], turn: [Math.PI / 2, 0, -side * 0.65], size: [1, 0.28, 0.62], shade: 0 });
    s.add(new BoxGeometry(0.062, 0.013, 0.014), Part.head, Slot.hair, { at: [side * 0.09, 1.052, 0.221], turn: [-0.2, side * 0.38, -side * 0.08], shade: 0 });
  }
  s.add(ball(0.02, 5, 4), Part.head, Slot.skin, { at: [0, 0.95, 0.236], size: [1, 0.8, 0.8] });
  s.add(ring(0.03, 0.0065, 3, 8, Math.PI), Part.head, Slot.dark, { at: [0, 0.912, 0.222], turn: [0.25, 0, Math.PI], shade: 0 });
}
