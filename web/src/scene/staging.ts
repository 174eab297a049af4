import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { AgentView } from '../world/store.ts';

// How a question is staged: the agent that asks it faces the overview camera, and the user's figure stands to the left
// of the agent in the picture, half turned towards the agent.

interface Spot { x: number; z: number }

/** The distance in metres between an agent with a question and the user's figure. */
const nextToGap = 0.9;
/** How far the user's figure turns from the camera towards the agent, in degrees. */
const halfTurn = 35;
/** The distance within which the user's figure turns towards the agent, in metres. */
const nearBy = 1.8;
const rad = (deg: number): number => (deg * Math.PI) / 180;

/** Returns the heading towards the overview camera. */
export const towardCamera = (manifest: SceneManifest): number => rad(manifest.ambience?.camera.azimuth ?? 45);

/**
 * Reports whether an agent is asking a person something, or is a crew member that is about to ask. A guest can be
 * waiting without asking anything.
 */
export const seeks = (view: AgentView): boolean => view.needs_you === true || (!view.source && (view.state === 'WalkingToPlayer' || view.state === 'SeekingUserDecision'));

/** Returns the spot next to an agent with a question, on the left of the picture. */
export function nextToOf({ x, z }: Spot, manifest: SceneManifest): Spot {
  const a = towardCamera(manifest);
  return { x: x - nextToGap * Math.cos(a), z: z + nextToGap * Math.sin(a) };
}

/**
 * Returns the heading of the user's figure next to an agent with a question, or null if the figure stands elsewhere.
 */
export function companionHeading(own: Spot, asker: Spot, manifest: SceneManifest): number | null {
  const a = towardCamera(manifest), dx = asker.x - own.x, dz = asker.z - own.z;
  if (Math.hypot(dx, dz) > nearBy) return null;
  const right = dx * Math.cos(a) - dz * Math.sin(a);
  return a + Math.sign(right) * rad(halfTurn);
}

/** Returns the ids of the places on a scene's stage, in the order they are filled; empty if the scene has no stage. */
export const stagePlaces = (manifest: SceneManifest): readonly string[] => manifest.pois.filter(p => p.type === 'stage').flatMap(p => p.nav_anchors.map(a => a.id));

/** Returns the id of the anchor that an agent is standing at or walking to; empty if there is none. */
export const anchorOf = (view: AgentView | null): string => view?.motion?.goal.anchor_id ?? view?.goal?.anchor_id ?? '';

/**
 * Returns the agents that have a question but no place on the stage of their room. The key is the id of the agent at
 * the last place on the stage; rooms where that place is empty are left out.
 */
export function offStage(views: readonly AgentView[], { pois }: SceneManifest): ReadonlyMap<string, readonly string[]> {
  const stages = pois.filter(p => p.type === 'stage').map(p => p.nav_anchors.map(a => a.id));
  const places = new Set(stages.flat()), last = new Set(stages.map(ids => ids.at(-1)));
  const rooms = new Map<string | undefined, string[]>(), out = new Map<string, readonly string[]>();
  const seeking = views.filter(seeks);
  for (const v of seeking) if (!places.has(anchorOf(v))) rooms.set(v.room_id, [...rooms.get(v.room_id) ?? [], v.agent_id]);
  for (const v of seeking) if (last.has(anchorOf(v)) && rooms.has(v.room_id)) out.set(v.agent_id, rooms.get(v.room_id)!);
  return out;
}
