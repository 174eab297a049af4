import { shortWay, stepAlong, type Step } from './people_motion.ts';
import type { Cast, Person } from './people_cast.ts';
import { isUp, pastimeLimbs } from './people_pastime.ts';
import { limbs, poseOf, type Pose } from './people_pose.ts';
import { At, dimOf, STRIDE } from './rig.ts';

/** The distance walked in half a step cycle, in metres. */
const stride = 0.34;
/** Position errors larger than this, in metres, are corrected in one jump instead of smoothly. */
export const snapBeyond = 1.5;
/** How long a jump lasts, in ms. */
export const hopFor = 1500;
/** How long a guest stays visible after it has begun to leave, in ms. */
export const leaveFor = 1300;
/** The hip height of a person sitting on the floor, in metres. */
const hips = 0.265;
/** The distance in metres above which people step aside instead of sliding. */
const stepFrom = 0.3;
/** How far from the middle of their path people may walk, in metres. */
const lane = 0.13;

/** The time and time step of a frame; one object is reused for all frames. */
export interface Moment { now: number; dt: number; still: boolean }

const step: Step = { x: 0, z: 0, hx: 0, hz: 0, arrived: true };

/** Returns a person's true position at a time; the result is shared, so use it before the next call. */
export function truePosition(p: Person, now: number): Step {
  if (p.path.length === 0) {
    step.x = p.endX; step.z = p.endZ; step.hx = step.hz = 0; step.arrived = true;
    return step;
  }
  return stepAlong(p.path, (p.speed * (now - p.startedAt)) / 1000, step);
}

/**
 * Keeps the drawn position when the true position changes: the difference is smoothed away, unless it exceeds
 * snapBeyond.
 */
export function correct(p: Person, now: number): void {
  const t = truePosition(p, now);
  p.errorX = p.x - p.sideX - t.x;
  p.errorZ = p.z - p.sideZ - t.z;
  if (Math.hypot(p.errorX, p.errorZ) > snapBeyond) p.errorX = p.errorZ = 0;
  p.settled = false;
}

/** Puts a new person at their position and in their pose immediately, without gliding. */
export function appear(cast: Cast, p: Person, now: number): void {
  p.errorX = p.errorZ = 0;
  p.heading = NaN;
  p.settled = false;
  stepPerson(cast, p, { now, dt: 0, still: true });
}

/** Advances one person to a point in time; returns true if the picture changed. */
export function stepPerson(cast: Cast, p: Person, m: Moment): boolean {
  const t = truePosition(p, m.now), moving = !t.arrived;
  const pose = poseNow(p, m.now, moving);
  if (p.settled && pose === p.pose && !moving) return false;
  p.pose = pose;
  p.moving = moving;
  const d = cast.data, o = p.index * STRIDE, ease = m.still ? 1 : 1 - Math.exp(-m.dt * 9);
  const aside = place(p, t, moving, m.still ? 0 : Math.exp(-m.dt * 5), ease);
  let left = aside;
  left += turn(p, moving ? Math.atan2(t.hx, t.hz) : Number.isNaN(p.turnTo) ? p.restHeading : p.turnTo, m.still ? 1 : 1 - Math.exp(-m.dt * 10));
  const gone = m.still ? 0 : Math.hypot(p.x - d[o]!, p.z - d[o + At.z]!);
  if (gone < snapBeyond) d[o + At.phase] = (d[o + At.phase]! + (gone / stride) * Math.PI) % (Math.PI * 2);
  d[o] = p.x;
  d[o + At.z] = p.z;
  d[o + At.heading] = p.heading;
  left += bend(d, o, p, moving || aside > stepFrom, ease);
  if (p.leftAt > 0) d[o + At.dim] = dimOf(Math.min(1, d[o + At.dim]! % 2), Math.min(0.99, (m.now - p.leftAt) / leaveFor));
  d[o + At.hop] = m.still ? 0 : hop(p, m.now);
  p.settled = !moving && left < 0.006 && pose !== 'done';
  if (p.settled) snapToEnd(d, o, p, t);
  cast.touch(p);
  return true;
}

/** Snaps a person to the final position, because the remaining distance is too small to animate. */
function snapToEnd(d: Float32Array, o: number, p: Person, t: Step): void {
  p.errorX = p.errorZ = 0;
  const up = isUp(p);
  p.sideX = up ? p.upX : p.asideX;
  p.sideZ = up ? p.upZ : p.asideZ;
  d[o] = p.x = t.x + p.sideX;
  d[o + At.z] = p.z = t.z + p.sideZ;
}

function poseNow(p: Person, now: number, moving: boolean): Pose {
  if (p.leftAt > 0) return 'walk';
  if (p.hopAt > 0 && now - p.hopAt < hopFor) return 'done';
  if (p.view) return poseOf(p.view, p.stream, now, moving);
  return moving ? 'walk' : 'idle';
}

/**
 * Sets the drawn position: the true position plus the error and the side step. Returns how far the error and the side
 * step are from rest.
 */
function place(p: Person, t: Step, moving: boolean, fade: number, ease: number): number {
  p.errorX *= fade;
  p.errorZ *= fade;
  const off = (p.look.seed - 0.5) * 2 * lane, up = isUp(p);
  const wantX = moving ? -t.hz * off : up ? p.upX : p.asideX, wantZ = moving ? t.hx * off : up ? p.upZ : p.asideZ;
  const k = ease < 1 && Math.hypot(wantX - p.sideX, wantZ - p.sideZ) > stepFrom ? ease / 4 : ease;
  p.sideX += (wantX - p.sideX) * k;
  p.sideZ += (wantZ - p.sideZ) * k;
  p.x = t.x + p.errorX + p.sideX;
  p.z = t.z + p.errorZ + p.sideZ;
  return Math.abs(p.errorX) + Math.abs(p.errorZ) + Math.abs(wantX - p.sideX) + Math.abs(wantZ - p.sideZ);
}

function turn(p: Person, want: number, ease: number): number {
  if (Number.isNaN(p.heading)) p.heading = want;
  const off = shortWay(want - p.heading);
  p.heading += off * ease;
  return Math.abs(off) * (1 - ease);
}

/** Moves every limb towards its pose; returns the largest remaining difference. */
function bend(d: Float32Array, o: number, p: Person, moving: boolean, ease: number): number {
  const want = p.pose === 'idle' ? pastimeLimbs[p.pastime] : limbs[p.pose], sits = p.seat > 0 && !moving && p.rank === 0 && p.pose !== 'done' && !isUp(p);
  const sit = sits ? 1 : 0;
  let left = toward(d, o + At.walk, moving ? 1 : 0, ease);
  left = Math.max(left, toward(d, o + At.sit, sit, ease), toward(d, o + At.y, sits ? p.seat - hips : 0, ease));
  left = Math.max(left, toward(d, o + At.type, want.type, ease), toward(d, o + At.think, want.think, ease), toward(d, o + At.hand, want.hand, ease));
  left = Math.max(left, toward(d, o + At.carry, want.carry, ease), toward(d, o + At.rest, sits ? want.rest : want.rest * 0.4, ease));
  left = Math.max(left, toward(d, o + At.slump, want.slump, ease), p.leftAt > 0 ? 0 : toward(d, o + At.dim, want.dim, ease), toward(d, o + At.look, want.looks, ease));
  return Math.max(left, toward(d, o + At.pitch, want.pitch, ease), toward(d, o + At.yaw, moving ? 0 : p.gaze, ease * 0.6));
}

/** Reports whether a guest has left and is no longer visible. */
export const isGone = (p: Person, m: Moment): boolean => p.leftAt > 0 && (m.still || m.now - p.leftAt >= leaveFor || m.now < p.leftAt);

function toward(d: Float32Array, i: number, want: number, ease: number): number {
  const off = want - d[i]!;
  d[i] = Math.abs(off) < 0.002 ? want : d[i]! + off * ease;
  return Math.abs(off) * (1 - ease);
}

/** Returns the height of a jump: two hops, the second smaller. */
function hop(p: Person, now: number): number {
  if (p.pose !== 'done') return 0;
  const t = (now - p.hopAt) / hopFor;
  if (t < 0.45) return Math.sin((t / 0.45) * Math.PI) * 0.3;
  if (t < 0.8) return Math.sin(((t - 0.45) / 0.35) * Math.PI) * 0.14;
  return 0;
}
