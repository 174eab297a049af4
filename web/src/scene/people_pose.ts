import type { AgentView, StreamView } from '../world/store.ts';

/** The pose of an agent. Each pose has one word, icon, colour and animation. */
export type Pose = 'idle' | 'walk' | 'think' | 'type' | 'read' | 'meet' | 'carry' | 'ask' | 'wait' | 'blocked' | 'done' | 'offline';

/** How long hands keep typing after the newest streamed text, in ms. */
export const typingFor = 1200;
/** How long an agent looks thoughtful after the newest streamed text, in ms. */
export const thinkingFor = 6000;

/** Returns the pose for an agent's state and stream; a crew member types only while text arrives. */
export function poseOf(agent: AgentView, stream: StreamView | undefined, now: number, moving = false): Pose {
  if (agent.source) return guestPose(agent, stream, now, moving);
  switch (agent.state) {
    case 'Offline': return 'offline';
    case 'SeekingUserDecision':
    case 'WalkingToPlayer': return 'ask';
    case 'BlockedWaiting': return agent.needs_you ? 'ask' : moving ? 'walk' : 'blocked';
    case 'DeliveringArtifact': return 'carry';
    case 'InMeeting': return moving ? 'walk' : 'meet';
    case 'WalkingToPOI': return moving ? 'walk' : 'idle';
    case 'WorkingAtPOI': return moving ? 'walk' : workOf(stream, now);
    default: return agent.needs_you ? 'ask' : moving ? 'walk' : 'idle';
  }
}

/** Returns the pose of a guest, based on its activity. A guest waves only if its question is in the inbox. */
function guestPose(agent: AgentView, stream: StreamView | undefined, now: number, moving: boolean): Pose {
  if (agent.state === 'Offline' || agent.activity === 'offline') return 'offline';
  if (agent.needs_you) return 'ask';
  if (moving) return 'walk';
  switch (agent.activity) {
    case 'working': return workOf(stream, now) === 'think' ? 'think' : 'type';
    case 'waiting': return 'wait';
    default: return 'idle';
  }
}

function workOf(stream: StreamView | undefined, now: number): Pose {
  if (!stream || stream.done) return 'read';
  const age = now - stream.at;
  if (stream.kind === 'thought') return age <= thinkingFor ? 'think' : 'read';
  return age <= typingFor ? 'type' : 'read';
}

/**
 * How far each movement of a pose goes, 0 to 1. A `hand` of 2 waves with both hands, and a `hand` of 3 only raises
 * both; `looks` is how much the eyes wander or, if negative, how much the head nods.
 */
export interface Limbs { type: number; think: number; hand: number; carry: number; rest: number; slump: number; dim: number; looks: number; pitch: number }

const still: Limbs = { type: 0, think: 0, hand: 0, carry: 0, rest: 0, slump: 0, dim: 0, looks: 0, pitch: 0 };

export const limbs: Readonly<Record<Pose, Limbs>> = {
  idle: { ...still, looks: 1 },
  walk: { ...still, looks: 0.15 },
  think: { ...still, think: 1, looks: 0.3 },
  type: { ...still, type: 1 },
  read: { ...still, rest: 1, pitch: 0.08, looks: 0.2 },
  meet: { ...still, rest: 0.8, looks: -1 },
  carry: { ...still, carry: 1 },
  ask: { ...still, hand: 1, pitch: -0.06 },
  wait: { ...still, hand: 0.92, looks: 0.4 },
  blocked: { ...still, slump: 0.55, looks: 0.5 },
  done: { ...still, hand: 2, pitch: -0.12 },
  offline: { ...still, slump: 1, dim: 1, pitch: 0.1 },
};
