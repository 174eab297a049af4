import type { Project, Task } from '../../contracts/protocol.gen.ts';

/** Returns the progress of a task, 0 to 100; a task in review counts as 100. */
export function taskPercent(task: Task): number {
  if (task.status === 'done' || task.status === 'review') return 100;
  return task.percent ?? 0;
}

/** Returns the progress of a project, 0 to 100; cancelled tasks do not count. */
export function projectPercent(tasks: readonly Task[]): number {
  const open = tasks.filter((t) => t.status !== 'cancelled');
  if (open.length === 0) return 0;
  // A task in review is almost done, but only an approval completes it.
  return open.reduce((sum, t) => sum + (t.status === 'review' ? 90 : taskPercent(t)), 0) / open.length;
}

const order = ['executing', 'blocked', 'planning', 'paused', 'completed'];

/**
 * Returns the chosen project, or else the most important one: projects under way come before planned ones, planned
 * before finished ones, and newer before older ones. Archived projects do not count.
 */
export function mainProject(projects: readonly Project[], chosen: string | null): Project | undefined {
  const shown = projects.filter((p) => p.status !== 'archived');
  return (
    shown.find((p) => p.project_id === chosen) ??
    [...shown].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status) || (b.created_at ?? 0) - (a.created_at ?? 0))[0]
  );
}

const weight: Record<Task['status'], number> = { blocked: 0, review: 1, in_progress: 2, planned: 3, done: 4, cancelled: 5 };

const LAST = Number.MAX_SAFE_INTEGER;

/** Returns tasks sorted for a summary: blocked and active tasks first, finished tasks last. */
export function byInterest(tasks: readonly Task[]): readonly Task[] {
  return [...tasks].sort((a, b) => weight[a.status] - weight[b.status] || (a.priority ?? LAST) - (b.priority ?? LAST));
}
