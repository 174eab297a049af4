import { BoxGeometry, Group, InstancedMesh, Matrix4 } from 'three';
import type { SceneObject } from '../contracts/protocol.gen.ts';
import { rigColors } from '../look/marks.ts';
import type { Placed } from '../world/campus.ts';
import type { Side } from './batch.ts';
import type { RoomDeps } from './deps.ts';
import { wallOf } from './kit.ts';
import type { Layer, Stage } from './layer.ts';

/** The interval at which a room at rest is redrawn for the clock, in ms. */
const wakeEvery = 60_000;
/** The maximum number of clocks whose hands are drawn. */
const maxClocks = 40;
/** The width of each hand and its distance from the dial in metres, and its length relative to the dial's radius. */
const hour = { w: 0.018, long: 0.42, off: 0.06 } as const;
const minute = { w: 0.012, long: 0.62, off: 0.066 } as const;

/** Returns the angles of a clock's hands at a local time, in radians clockwise from twelve. */
export function handsAt(date: Date): { hour: number; minute: number } {
  const min = date.getMinutes() / 60;
  return { hour: ((date.getHours() % 12) + min) / 12 * 2 * Math.PI, minute: min * 2 * Math.PI };
}

/** A clock on a wall. x and z are the centre of its room. */
interface Clock { object: SceneObject; wall: Side; x: number; z: number }

/** Returns the clocks of all rooms. */
export const clocksOf = (campus: readonly Placed[]): Clock[] =>
  campus.flatMap(({ manifest, x, z }) => manifest.objects.flatMap(object => (object.kind === 'wall_clock' ? [{ object, wall: wallOf(manifest, object), x, z }] : []))).slice(0, maxClocks);

/** Draws the hands of the wall clocks in all rooms. They show the viewer's local time. */
export function createClockHands(stage: Stage, { store: { campus } }: RoomDeps): Layer {
  const group = new Group(), mesh = new InstancedMesh(new BoxGeometry(1, 1, 0.008), stage.material({ color: stage.manifest.palette.dark ?? rigColors.dark, roughness: 0.6 }), maxClocks * 2);
  mesh.frustumCulled = false;
  group.add(mesh);
  const m = new Matrix4(), part = new Matrix4();
  let shown = NaN, hidden = '', placed: unknown, clocks: readonly Clock[] = [];
  const draw = (date: Date): void => {
    const at = handsAt(date);
    mesh.count = 0;
    for (const { object: o, wall, x, z } of clocks) {
      const r = (o.size?.[0] ?? 0.44) / 2 * (o.scale ?? 1);
      if (wall !== 'room' && stage.hidden[wall]) continue;
      for (const [hand, turn] of [[hour, at.hour], [minute, at.minute]] as const) {
        m.makeTranslation(o.pos[0] + x, o.pos[1], o.pos[2] + z).multiply(part.makeRotationY(o.rotation_y)).multiply(part.makeTranslation(0, 0, hand.off));
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
      group.visible = !stage.distant;
      if (at === shown && walls === hidden && campus.peek() === placed) return false;
      if (campus.peek() !== placed) clocks = clocksOf(campus.peek());
      placed = campus.peek();
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
