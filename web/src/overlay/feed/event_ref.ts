import type { Ref } from '../../world/focus.ts';
import type { TimelineEvent } from '../../contracts/protocol.gen.ts';

/** Returns the artifact, decision, task or agent that an event is about, or null. */
export function eventRef(e: TimelineEvent): Ref | null {
  if (e.artifact_id ?? e.artifact) return { kind: 'artifact', id: e.artifact_id ?? e.artifact!.artifact_id };
  if (e.name === 'decision_requested' && e.decision) return { kind: 'decision', id: e.decision.decision_id };
  if (e.task_id) return { kind: 'task', id: e.task_id };
  if (e.decision_id) return { kind: 'decision', id: e.decision_id };
  if (e.agent_id) return { kind: 'agent', id: e.agent_id };
  return null;
}
