import { BoxGeometry, Group, InstancedMesh, Matrix4 } from 'three';
import { rigColors } from '../look/marks.ts';
import { wallOf } from './kit.ts';
import type { Layer, Stage } from './layer.ts';

/** How often a room at rest is drawn again for the clock, in ms. */
const wakeEvery = 60_000;
/** Width, length and distance from the dial of each hand; the dial has a radius of half the clock's width. */
const hour = { w: 0.018, long: 0.42, off: 0.06 } as const;
const minute = { w: 0.012, long: 0.62, off: 0.066 } as const;

/** Returns how far the hands of a clock are turned clockwise from twelve at a local time, in radians. */
export function handsAt(date: Date): { hour: number; minute: number } {
  const min = date.getMinutes() / 60;
  return { hour: ((date.getHours() % 12) + min) / 12 * 2 * Math.PI, minute: min * 2 * Math.PI };
}

/** Draws the hands of the clocks on the walls, which show the local time of the person who watches. */
export function createClockHands(stage: Stage): Layer {
  const group = new Group(), clocks = stage.manifest.objects.filter(o => o.kind === 'wall_clock');
  const mesh = new InstancedMesh(new BoxGeometry(1, 1, 0.008), stage.material({ color: stage.manifest.palette.dark ?? rigColors.dark, roughness: 0.6 }), Math.max(1, clocks.length * 2));
  mesh.frustumCulled = false;
  group.add(mesh);
  const m = new Matrix4(), part = new Matrix4();
  let shown = NaN, hidden = '';
  const draw = (date: Date): void => {
    const at = handsAt(date);
    mesh.count = 0;
    for (const o of clocks) {
      const wall = wallOf(stage.manifest, o), r = (o.size?.[0] ?? 0.44) / 2 * (o.scale ?? 1);
      if (wall !== 'room' && stage.hidden[wall]) continue;
      for (const [hand, turn] of [[hour, at.hour], [minute, at.minute]] as const) {
        m.makeTranslation(...o.pos).multiply(part.makeRotationY(o.rotation_y)).multiply(part.makeTranslation(0, 0, hand.off));
        m.multiply(part.makeRotationZ(-turn)).multiply(part.makeTranslation(0, r * hand.long * 0.4, 0)).multiply(part.makeScale(hand.w, r * hand.long * 1.1, 1));
        mesh.setMatrixAt(mesh.count++, m);
      }
    }
    mesh.instanceMatrix.needsUpdate = true;
    mesh.visible = mesh.count > 0;
  };
  // The room may be at rest when the minute changes.
  const timer = setInterval(() => { if (clocks.length > 0) stage.invalidate(); }, wakeEvery);
  return {
    group,
    update(now) {
      const at = Math.floor(now / 60_000), walls = `${stage.hidden.left} ${stage.hidden.back}`;
      if (at === shown && walls === hidden) return false;
      shown = at;
      hidden = walls;
      draw(new Date(now));
      return false;
    },
    dispose() {
      clearInterval(timer);
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    },
  };
}
