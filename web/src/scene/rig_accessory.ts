import { BoxGeometry, type BufferGeometry, CylinderGeometry } from 'three';
import { ball, dome, Part, ring, Sculpt, Slot, soft, turned } from './rig_sculpt.ts';
import type { Accessory } from '../look/identity.ts';

const makers: Record<Exclude<Accessory, 'none'>, () => BufferGeometry> = {
  glasses() {
    const s = new Sculpt();
    for (const side of [-1, 1]) {
      s.add(ring(0.06, 0.0095, 3, 11), Part.head, Slot.dark, { at: [side * 0.09, 0.985, 0.24], turn: [0, side * 0.3, 0], shade: 0 });
      s.add(new BoxGeometry(0.01, 0.012, 0.2), Part.head, Slot.dark, { at: [side * 0.2, 0.995, 0.13], turn: [0, -side * 0.45, 0], shade: 0 });
    }
    return s.add(new BoxGeometry(0.05, 0.012, 0.01), Part.head, Slot.dark, { at: [0, 0.992, 0.254], shade: 0 }).geometry();
  },
  headphones() {
    const s = new Sculpt().add(ring(0.302, 0.022, 4, 10, Math.PI), Part.head, Slot.dark, { at: [0, 1, -0.01] });
    for (const side of [-1, 1]) s.add(ball(0.088, 7, 5), Part.head, Slot.top, { at: [side * 0.282, 0.985, -0.005], size: [0.5, 1, 1] });
    return s.geometry();
  },
  beret() {
    const s = new Sculpt().add(ball(0.25, 12, 6), Part.head, Slot.red, { at: [0.055, 1.215, -0.035], turn: [-0.15, 0, -0.32], size: [1.12, 0.36, 1.1] });
    return s.add(new CylinderGeometry(0.012, 0.016, 0.06, 5), Part.head, Slot.red, { at: [0.085, 1.32, -0.05], turn: [0, 0, -0.3] }).geometry();
  },
  cap() {
    const s = new Sculpt().add(dome(0.294, 12, 4, 1.28), Part.head, Slot.top, { at: [0, 1.035, -0.012], turn: [-0.16, 0, 0], size: [1, 0.95, 1] });
    s.add(ball(0.19, 10, 4), Part.head, Slot.top, { at: [0, 1.115, 0.24], turn: [0.22, 0, 0], size: [1, 0.12, 0.95] });
    return s.add(ball(0.028, 5, 3), Part.head, Slot.white, { at: [0, 1.3, -0.05], shade: 0 }).geometry();
  },
  visor() {
    const s = new Sculpt().add(ring(0.292, 0.027, 4, 14), Part.head, Slot.white, { at: [0, 1.08, -0.004], turn: [Math.PI / 2 - 0.16, 0, 0] });
    return s.add(ball(0.2, 10, 4), Part.head, Slot.trousers, { at: [0, 1.085, 0.25], turn: [0.25, 0, 0], size: [1, 0.1, 0.95] }).geometry();
  },
  pencil() {
    const s = new Sculpt().add(new CylinderGeometry(0.015, 0.015, 0.2, 6), Part.head, Slot.gold, { at: [0.272, 1.035, 0.03], turn: [1.25, 0, 0.1], shade: 0 });
    s.add(new CylinderGeometry(0.002, 0.015, 0.04, 6), Part.head, Slot.dark, { at: [0.272, 1.073, 0.144], turn: [1.25, 0, 0.1], shade: 0 });
    return s.add(turned([[0.12, 0.785, 0.6, 1], [0.155, 0.75, 1, 0], [0.13, 0.705, 0.6, -1]], 12), Part.body, Slot.red, { at: [0, 0, 0.004], size: [1, 1, 0.9] }).geometry();
  },
  scarf() {
    const s = new Sculpt().add(turned([[0.11, 0.8, 0.6, 1], [0.16, 0.76, 1, 0], [0.135, 0.705, 0.6, -1]], 12), Part.body, Slot.gold, { at: [0, 0, 0.004], size: [1, 1, 0.92] });
    return s.add(soft(0.075, 0.2, 0.03, 0.012), Part.body, Slot.gold, { at: [0.06, 0.64, 0.135], turn: [-0.12, 0, 0.12] }).geometry();
  },
  // For the BD, who speaks for the office: blazer lapels, a shirt front and a red tie.
  tie() {
    const s = new Sculpt().add(soft(0.11, 0.25, 0.02, 0.008), Part.body, Slot.white, { at: [0, 0.63, 0.122], turn: [-0.12, 0, 0], shade: 0 });
    for (const side of [-1, 1]) s.add(new BoxGeometry(0.055, 0.27, 0.02), Part.body, Slot.dark, { at: [side * 0.062, 0.628, 0.131], turn: [-0.12, side * 0.2, side * 0.2], shade: 0 });
    s.add(new CylinderGeometry(0.012, 0.032, 0.17, 4, 1), Part.body, Slot.red, { at: [0, 0.645, 0.142], turn: [-0.12, Math.PI / 4, 0], size: [1, 1, 0.5], shade: 0 });
    s.add(soft(0.042, 0.04, 0.03, 0.01), Part.body, Slot.red, { at: [0, 0.742, 0.125], shade: 0 });
    return s.add(ball(0.022, 5, 3), Part.body, Slot.gold, { at: [-0.1, 0.68, 0.128], shade: 0 }).geometry();
  },
};

/** Returns the geometry of an accessory, or null for 'none'. */
export const accessoryGeometry = (a: Accessory): BufferGeometry | null => (a === 'none' ? null : makers[a]());

/** Returns the geometry of a guest's lanyard: a band around the neck and a card on the chest. */
export function lanyardGeometry(): BufferGeometry {
  const s = new Sculpt().add(turned([[0.098, 0.8, 0.4, 1], [0.135, 0.765, 1, 0.4], [0.14, 0.735, 1, -0.6]], 14), Part.body, Slot.badge, { at: [0, 0, 0.004], size: [1, 1, 0.9], shade: 0 });
  for (const side of [-1, 1]) s.add(new BoxGeometry(0.026, 0.2, 0.012), Part.body, Slot.badge, { at: [side * 0.044, 0.655, 0.133], turn: [-0.14, 0, side * 0.42], shade: 0 });
  return s
    .add(soft(0.125, 0.15, 0.018, 0.008), Part.body, Slot.white, { at: [0, 0.515, 0.158], turn: [-0.06, 0, 0], shade: 0 })
    .add(new BoxGeometry(0.125, 0.045, 0.022), Part.body, Slot.badge, { at: [0, 0.57, 0.156], turn: [-0.06, 0, 0], shade: 0 })
    .geometry();
}

/** Returns the geometry of the box that an agent carries in both hands. */
export function carriedBoxGeometry(): BufferGeometry {
  return new Sculpt()
    .add(soft(0.32, 0.24, 0.26, 0.02), Part.body, Slot.box, { at: [0, 0.56, 0.31] })
    .add(soft(0.07, 0.244, 0.264, 0.01), Part.body, Slot.tape, { at: [0, 0.56, 0.31], shade: 0 })
    .geometry();
}

/** Returns the geometry of an open book held in both hands. */
export function bookGeometry(): BufferGeometry {
  const s = new Sculpt();
  for (const side of [-1, 1]) {
    s.add(soft(0.13, 0.014, 0.19, 0.004), Part.body, Slot.badge, { at: [side * 0.062, 0.5, 0.3], turn: [0.75, 0, side * 0.22], shade: 0 });
    s.add(soft(0.118, 0.02, 0.174, 0.004), Part.body, Slot.white, { at: [side * 0.06, 0.512, 0.292], turn: [0.75, 0, side * 0.22], shade: 0 });
  }
  return s.geometry();
}

/** Returns the geometry of a watering can held in both hands, with the drops that fall from it. */
export function canGeometry(): BufferGeometry {
  const s = new Sculpt()
    .add(new CylinderGeometry(0.085, 0.1, 0.17, 12), Part.body, Slot.box, { at: [0, 0.56, 0.31], turn: [0.35, 0, 0] })
    .add(ring(0.075, 0.014, 5, 12, Math.PI), Part.body, Slot.box, { at: [0, 0.64, 0.28], turn: [0.35, Math.PI / 2, 0] })
    .add(new CylinderGeometry(0.014, 0.024, 0.24, 7), Part.body, Slot.box, { at: [0, 0.58, 0.47], turn: [1.15, 0, 0] })
    .add(new CylinderGeometry(0.045, 0.02, 0.03, 10), Part.body, Slot.tape, { at: [0, 0.628, 0.58], turn: [1.3, 0, 0], shade: 0 });
  for (let i = 0; i < 5; i++) s.add(ball(0.009, 5, 4), Part.body, Slot.tape, { at: [(i % 2) * 0.03 - 0.015, 0.58 - i * 0.055, 0.61 + i * 0.008], size: [1, 1.7, 1], shade: 0 });
  return s.geometry();
}
