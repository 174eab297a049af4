import { USER_ID } from '../contracts/limits.gen.ts';
import type { ChatRow } from '../world/store.ts';
import { chatShownFor } from './labels_text.ts';
import type { Cast, Person } from './people_cast.ts';
import { shortWay } from './people_motion.ts';
import type { Pose } from './people_pose.ts';

/** The largest angle between head and body, in radians. */
const widest = 1.05;
/** The interval at which heads turn towards another agent in a silent meeting, in ms. */
const turnInterval = 4200;
/** How long an agent counts as speaking after it has written something, in ms. */
const speaksFor = 2500;

/** How close someone must be to hear a person who is speaking, in metres. */
const earshot = 6;
/** People look at a speaker only if the speaker is less than this angle away from straight ahead, in radians. */
const behind = 1.9;

/** Poses of people who look up when someone nearby speaks; in all other poses people are busy. */
const attentive: ReadonlySet<Pose> = new Set<Pose>(['idle', 'read', 'wait', 'blocked']);

/** Returns the agent that spoke last in a chat, or undefined if no agent has spoken recently. */
export const speakerOf = (chats: readonly ChatRow[], now: number): string | undefined =>
  chats.findLast(c => !c.replay && c.from !== USER_ID && now - c.ts < chatShownFor)?.from;

/**
 * Turns heads: people in a meeting look at the speaker, and others who are not busy look at the agent `speaking` if
 * it is nearby. Everyone else looks straight ahead.
 */
export function turnHeads(cast: Cast, now: number, speaking?: string): void {
  const loud = speaking === undefined ? undefined : cast.byId.get(speaking);
  let speaker: Person | null = null, at = -Infinity, members = 0;
  for (const p of cast.people) {
    if (p.pose !== 'meet') continue;
    members++;
    if (p.stream && p.stream.at > at && now - p.stream.at < speaksFor) { speaker = p; at = p.stream.at; }
  }
  let turn = members > 0 ? Math.floor(now / turnInterval) % members : 0;
  for (const p of cast.people) if (!speaker && p.pose === 'meet' && turn-- === 0) speaker = p;
  for (const p of cast.people) {
    const to = p.pose === 'meet' ? speaker : loud && hears(p, loud) ? loud : null;
    const want = to && to !== p ? clamp(aside(p, to)) : 0;
    if (Math.abs(want - p.gaze) > 0.02) { p.gaze = want; p.settled = false; }
  }
}

/** Returns how far a person's body is turned away from another person, in radians. */
const aside = (p: Person, to: Person): number => shortWay(Math.atan2(to.x - p.x, to.z - p.z) - p.heading);

const hears = (p: Person, loud: Person): boolean =>
  attentive.has(p.pose) && !p.moving && p.pastime !== 'stretch' && Math.hypot(loud.x - p.x, loud.z - p.z) < earshot && Math.abs(aside(p, loud)) < behind;

const clamp = (a: number) => Math.max(-widest, Math.min(widest, a));
