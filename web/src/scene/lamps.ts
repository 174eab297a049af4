import type { PointLight, Vec3 } from '../contracts/protocol.gen.ts';

/** A lamp in the coordinates of its room: how strong it is, and how far it reaches in metres. */
export interface Lamp { readonly pos: Vec3; readonly intensity: number; readonly reach: number; readonly decay: number }

/** The strongest light that can be stored. */
export const brightest = 16;
/**
 * The light of a small bulb. The intensity and the reach are for a glow of 1 m, and are proportional to the size of the
 * glow.
 */
const bulb = { intensity: 0.5, reach: 3.4, decay: 1.2 } as const;
/** Glows larger than this belong to lamps that the manifest also lists. */
const listed = 1;
/** The distance from a lamp, in metres, below which its light does not get brighter. */
const nearest = 0.25;

/** Returns a room's lamps: the lamps that its manifest lists, and the small bulbs among its glows. */
export function lampsOf(lights: readonly PointLight[] | undefined, glows: readonly { pos: { x: number; y: number; z: number }; size: number }[]): Lamp[] {
  const bulbs = glows.filter(g => g.size < listed).map(({ pos: { x, y, z }, size }): Lamp => ({ pos: [x, y, z], intensity: size * bulb.intensity, reach: size * bulb.reach, decay: bulb.decay }));
  return [...(lights ?? []).map((l): Lamp => ({ pos: l.pos, intensity: l.intensity, reach: l.distance || 12, decay: l.decay })), ...bulbs];
}

/** Returns the light of a lamp at a distance in metres; the light falls off like that of a point light in three.js. */
export function lightOf({ intensity, reach, decay }: Lamp, distance: number): number {
  const window = Math.max(0, 1 - (distance / reach) ** 4);
  return intensity * Math.max(nearest, distance) ** -decay * window * window;
}

/** Returns a byte for an amount of light; small amounts keep more of their precision. */
export const lightByte = (light: number): number => 255 * Math.sqrt(Math.min(1, light / brightest));
