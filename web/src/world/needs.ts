import type { Artifact, Decision, Task } from '../contracts/protocol.gen.ts';
import type { Need } from './rows.ts';

/** What waits for the person, oldest first. */
export function needs(decisions: readonly Decision[], artifacts: readonly Artifact[], tasks: readonly Task[]): readonly Need[] {
  const open = decisions.filter((d) => d.status === 'open').map(ofDecision);
  // A review begins with the last change of its task.
  const dates = new Map(tasks.map((task) => [task.task_id, task.updated_at ?? 0]));
  const reviews = artifacts
    .filter((a) => a.status === 'in_review')
    .map((a) => ofReview(a, (a.task_id && dates.get(a.task_id)) || 0));
  return [...open, ...reviews].sort((a, b) => a.since - b.since || a.ref.localeCompare(b.ref));
}

function ofDecision(d: Decision): Need {
  const kind = d.kind === 'permission' ? 'permission' : 'decision';
  return { ref: d.decision_id, kind, title: d.prompt, since: d.asked_at ?? 0, ...(d.asked_by && { agent_id: d.asked_by }), ...(d.expires_at && { until: d.expires_at }) };
}

function ofReview(a: Artifact, since: number): Need {
  const title = a.title ?? a.type;
  return { ref: a.artifact_id, kind: 'review', title, since, ...(a.created_by && { agent_id: a.created_by }) };
}
