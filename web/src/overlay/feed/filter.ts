import type { FeedRow } from '../../world/store.ts';

export interface FeedFilter {
  project: string;
  agent: string;
  kind: string;
}

export const NO_FILTER: FeedFilter = { project: '', agent: '', kind: '' };

/** The events by what they are about. */
export const feedKinds: readonly (readonly [string, string, readonly string[]])[] = [
  ['requests', 'Requests and plans', ['request_submitted', 'request_accepted', 'kickoff_started', 'kickoff_finished', 'tasks_created']],
  ['work', 'Work', ['task_assigned', 'task_started', 'task_progress', 'task_blocked', 'task_done', 'task_cancelled']],
  ['questions', 'Questions', ['decision_requested', 'decision_resolved', 'decision_cancelled']],
  ['deliveries', 'Deliveries and reviews', ['artifact_created', 'artifact_delivered', 'review_requested', 'review_approved', 'review_changes_requested']],
  ['people', 'People and guests', ['agent_joined', 'agent_left', 'agent_status']],
  ['usage', 'Usage', ['usage_reported']],
  ['projects', 'Projects', ['project_paused', 'project_resumed', 'project_completed', 'project_archived']],
  ['audit', 'Logins, answers and exports', ['audited', 'decision_resolved', 'review_approved', 'review_changes_requested']],
];

/** The kinds of which so much happens that everything else would drown in them. */
export const murmured: ReadonlySet<string> = new Set(['people', 'usage']);

const known = new Set(feedKinds.flatMap(([, , names]) => names));

/** The rows that pass, newest first. */
export function filterFeed(rows: readonly FeedRow[], filter: FeedFilter): readonly FeedRow[] {
  const names = feedKinds.find(([kind]) => kind === filter.kind)?.[2];
  return rows
    .filter((row) => {
      const e = row.event;
      if (filter.project && (e.project_id ?? e.project?.project_id) !== filter.project) return false;
      if (filter.agent && e.agent_id !== filter.agent && !e.agents?.some((a) => a.agent_id === filter.agent) && e.from_agent_id !== filter.agent && !e.participants?.includes(filter.agent)) return false;
      if (filter.kind === 'other') return !known.has(row.name);
      return names === undefined || names.includes(row.name);
    })
    .toReversed();
}
