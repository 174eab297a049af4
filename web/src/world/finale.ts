import { effect } from '@preact/signals';
import type { Artifact, Decision, Project, Task } from '../contracts/protocol.gen.ts';
import type { Focus } from './focus.ts';
import type { FeedRow } from './rows.ts';
import type { Store } from './store.ts';

/** A copy of a project's results, made when the project is completed, because its rows may soon be removed. */
export interface Finale {
  project_id: string;
  title: string;
  /** Server time of the completion. */
  at: number;
  /** How long the project took, in ms; absent if its start is unknown. */
  took?: number;
  /** How many of the project's questions were answered. */
  answered: number;
  /** The approved artifacts, oldest first. */
  deliverables: readonly Pick<Artifact, 'artifact_id' | 'title' | 'type'>[];
  /** The ids of the agents that worked on the project. */
  crew: readonly string[];
}

/** How long after its completion a project is still celebrated, in ms. */
const freshFor = 15_000;

/** Returns the newest completion after seq `after` that was seen live and is recent, or undefined if there is none. */
export function freshCompletion(feed: readonly FeedRow[], after: number, now: number): FeedRow | undefined {
  return feed.findLast(row => row.name === 'project_completed' && row.seq > after && !row.replay && now - row.ts < freshFor);
}

interface Rows { projects: readonly Project[]; tasks: readonly Task[]; artifacts: readonly Artifact[]; decisions: readonly Decision[] }

export function finaleOf(row: FeedRow, { projects, tasks, artifacts, decisions }: Rows): Finale | null {
  const id = row.event.project_id, project = projects.find(p => p.project_id === id);
  if (!id || !project) return null;
  const own = tasks.filter(t => t.project_id === id), ids = new Set(own.map(t => t.task_id));
  const made = artifacts.filter(a => a.status === 'approved' && (a.project_id === id || (a.task_id !== undefined && ids.has(a.task_id))));
  const crew = new Set([...own.map(t => t.assignee), ...made.map(a => a.created_by)].filter(a => a !== undefined));
  return {
    project_id: id, title: project.title, at: row.ts, ...(project.created_at !== undefined && { took: Math.max(0, row.ts - project.created_at) }),
    answered: decisions.filter(d => d.project_id === id && d.status === 'resolved').length,
    deliverables: made.map(({ artifact_id, title, type }) => ({ artifact_id, type, ...(title !== undefined && { title }) })),
    crew: [...crew],
  };
}

/** Sets focus.finale when a project is completed. Returns a function that stops watching. */
export function watchFinale(store: Store, focus: Focus): () => void {
  let after = 0;
  return effect(() => {
    const row = freshCompletion(store.feed.value, after, store.now());
    if (!row) return;
    after = row.seq;
    const finale = finaleOf(row, { projects: store.projects.peek(), tasks: store.tasks.peek(), artifacts: store.artifacts.peek(), decisions: store.decisions.peek() });
    if (finale) focus.finale.value = finale;
  });
}
