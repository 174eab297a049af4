import type { Cast, Person } from './people_cast.ts';
import { shortWay } from './people_motion.ts';

/** The largest angle between head and body, in radians. */
const widest = 1.05;
/** How often heads turn to another agent in a silent meeting, in ms. */
const turnOf = 4200;
/** How long an agent counts as speaking after it wrote, in ms. */
const speaksFor = 2500;

/**
 * Turns heads: people in a meeting look at the speaker, waiting agents at their player, everyone else straight ahead.
 */
export function turnHeads(cast: Cast, now: number): void {
  let speaker: Person | null = null, at = -Infinity, members = 0;
  for (const p of cast.people) {
    if (p.pose !== 'meet') continue;
    members++;
    if (p.stream && p.stream.at > at && now - p.stream.at < speaksFor) { speaker = p; at = p.stream.at; }
  }
  let turn = members > 0 ? Math.floor(now / turnOf) % members : 0;
  for (const p of cast.people) if (!speaker && p.pose === 'meet' && turn-- === 0) speaker = p;
  for (const p of cast.people) {
    const to = p.pose === 'meet' ? speaker : p.pose === 'wait' ? personOf(cast, p) : null;
    const want = to && to !== p ? clamp(shortWay(Math.atan2(to.x - p.x, to.z - p.z) - p.heading)) : 0;
    if (Math.abs(want - p.gaze) > 0.02) { p.gaze = want; p.settled = false; }
  }
}

function personOf(cast: Cast, p: Person): Person | null {
  const id = p.view?.motion?.goal.player_id ?? p.view?.goal?.player_id;
  return id === undefined ? null : cast.byId.get(id) ?? null;
}

const clamp = (a: number) => Math.max(-widest, Math.min(widest, a));
