import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { AgentView, FeedRow } from '../world/rows.ts';
import { position } from '../world/position.ts';

/** A short sound that the office plays. */
export type Cue = 'needs' | 'box' | 'tick' | 'fanfare' | 'key';

const cues: Readonly<Record<string, Cue>> = {
  decision_requested: 'needs',
  review_requested: 'needs',
  artifact_delivered: 'box',
  task_done: 'tick',
  project_completed: 'fanfare',
};

/**
 * Returns the sound for a line of the timeline. It returns null for most lines, for all history, for requests that a
 * rule answered and for sessions that ended unchecked.
 */
export function cueOf(row: FeedRow): Cue | null {
  return row.replay || row.event.rule_id || row.event.decision?.session || !Object.hasOwn(cues, row.name) ? null : cues[row.name]!;
}

/** Returns the lines whose seq is greater than `last`, the seq of the last line played. */
export function unplayed(feed: readonly FeedRow[], last: number): readonly FeedRow[] {
  return feed.filter((row) => row.seq > last);
}

/** Returns the x coordinate of the place or agent that a line is about; 0, the middle, if unknown. */
export function placeOf(row: FeedRow, agents: readonly AgentView[], scene: SceneManifest | null, now: number): number {
  const { poi_id: poiId, agent_id, decision, artifact } = row.event;
  const poi = poiId === undefined ? undefined : scene?.pois.find((p) => p.poi_id === poiId);
  if (poi) return poi.ui_anchor[0];
  const who = agent_id ?? decision?.asked_by ?? artifact?.created_by;
  const agent = agents.find((a) => a.agent_id === who);
  return agent ? position(agent, now).pos[0] : 0;
}

/** Converts an x coordinate to a stereo position that is never fully left or right, because that would be tiring. */
export function pan(x: number, roomWidth: number): number {
  if (!(roomWidth > 0) || !Number.isFinite(x)) return 0;
  return 0.7 * Math.max(-1, Math.min(1, (2 * x) / roomWidth));
}
