import { LIMIT_REVIEWS } from '../../contracts/limits.gen.ts';
import type { Artifact, Review, Task } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import * as say from '../../contracts/words.gen.ts';

/**
 * Returns one line that states who reviewed a patch, what the reviewer runs on, and the result. model/review.go has
 * the same rule; contracts/vectors/review.json tests both.
 */
export function reviewLine(review: Review, agents: readonly AgentView[], stale: boolean): string {
  const { agent_id: id, status, reason = '', findings = [] } = review;
  if (!id) return say.notReviewed(reason);
  const who = reviewer(review, id, agents);
  if (status === 'requested') return say.reviewing(who);
  if (status === 'failed') return say.reviewFailed(who, reason);
  const found = findings.length > 0 ? say.findings(findings.length) : say.noFindings;
  return say.reviewed(who, stale ? say.reviewStale(found) : found);
}

/**
 * Reports whether a task's files have changed since one of its patches was delivered, so that reviews of the patch
 * are outdated.
 */
export const isReviewStale = (artifact: Artifact, task: Task | undefined): boolean => Boolean(task?.tree && artifact.tree && task.tree !== artifact.tree);

/** Returns the name of the agent that wrote a review, and what the agent runs on. */
function reviewer({ differs }: Review, id: string, agents: readonly AgentView[]): string {
  const agent = agents.find((a) => a.agent_id === id);
  const other = differs && { vendor: say.anotherVendor, model: say.anotherModel }[differs];
  const on = [agent?.runner, agent?.model, other].filter(Boolean);
  const name = nameOf(agents, id);
  return on.length > 0 ? `${name} (${on.join(', ')})` : name;
}

/**
 * Reports whether there is probably an agent that can review a patch; the office has the last word. model/review.go
 * has the same rule.
 */
export function canAskReview(artifact: Artifact, artifacts: readonly Artifact[], agents: readonly AgentView[]): boolean {
  const { type, tree, status, task_id: task, created_by: author, reviews = [] } = artifact;
  if (type !== 'patch' || !tree || status !== 'in_review' || reviews.length >= LIMIT_REVIEWS || reviews.some((r) => r.status === 'requested')) return false;
  const authors = artifacts.filter((a) => a.task_id === task).map((a) => a.created_by);
  const reviewers = reviews.filter((r) => r.status === 'commented').map((r) => r.agent_id);
  const barred = new Set([author, ...authors, ...reviewers]);
  const scripted = agents.find((a) => a.agent_id === author)?.from?.scripted ?? false; // if so, a script may review it
  return agents.some((a) => !a.source && a.role !== 'bd' && a.state !== 'Offline' && !barred.has(a.agent_id) && (scripted || !a.from?.scripted));
}
