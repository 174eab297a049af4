import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { AgentView } from '../world/store.ts';

/**
 * How a question is staged: an agent that asks faces the overview camera, and the own figure stands at the
 * left, half turned to it.
 */
interface Spot { x: number; z: number }

/** Metres between an agent that asks and the own figure. */
const nextToGap = 0.9;
/** How far the own figure turns towards who asks, in degrees. */
const halfTurn = 35;
/** From this far the own figure turns to who asks, in metres. */
const nearBy = 1.8;
const rad = (deg: number): number => (deg * Math.PI) / 180;

/** The heading that looks into the eye of the overview. */
export const towardEye = (manifest: SceneManifest): number => rad(manifest.ambience?.camera.azimuth ?? 45);

/** Whether an agent seeks a person, or stands before one. */
export const seeks = (view: AgentView): boolean => view.state === 'WalkingToPlayer' || view.state === 'SeekingUserDecision' || view.needs_you === true;

/** The spot at the screen left of an agent that asks. */
export function nextToOf({ x, z }: Spot, manifest: SceneManifest): Spot {
  const a = towardEye(manifest);
  return { x: x - nextToGap * Math.cos(a), z: z + nextToGap * Math.sin(a) };
}

/** The heading of the own figure next to an agent that asks; null when it stands elsewhere. */
export function companionHeading(own: Spot, asker: Spot, manifest: SceneManifest): number | null {
  const a = towardEye(manifest), dx = asker.x - own.x, dz = asker.z - own.z;
  if (Math.hypot(dx, dz) > nearBy) return null;
  const right = dx * Math.cos(a) - dz * Math.sin(a);
  return a + Math.sign(right) * rad(halfTurn);
}

/** The places on the stage of a scene, in the order they fill; empty when it has none. */
export const stagePlaces = (manifest: SceneManifest): readonly string[] => manifest.pois.filter(p => p.type === 'stage').flatMap(p => p.nav_anchors.map(a => a.id));

/** The anchor that an agent stands at or is bound for. */
export const anchorOf = (view: AgentView | null): string => view?.motion?.goal.anchor_id ?? view?.goal?.anchor_id ?? '';

/** How many need a person and found no place on the stage. */
export function offStage(views: readonly AgentView[], places: readonly string[]): number {
  return places.length === 0 ? 0 : views.filter(v => seeks(v) && !places.includes(anchorOf(v))).length;
}
