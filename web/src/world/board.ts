import type { Task, TaskStatus } from '../contracts/protocol.gen.ts';
import { boardColumns, taskStatuses } from '../contracts/words.gen.ts';

export interface Column {
  status: TaskStatus;
  title: string;
  tasks: readonly Task[];
}

/**
 * Returns the columns of a board, with their tasks sorted by priority, then oldest first. Cancelled tasks are left
 * out.
 */
export function board(tasks: readonly Task[]): readonly Column[] {
  return boardColumns.map((status) => ({
    status,
    title: taskStatuses[status],
    tasks: tasks.filter((task) => task.status === status).sort(byRank),
  }));
}

// Priority 1 comes first, as when the director assigns tasks; tasks without a priority come last.
const LAST = Number.MAX_SAFE_INTEGER;

function byRank(a: Task, b: Task): number {
  return (a.priority ?? LAST) - (b.priority ?? LAST) || (a.created_at ?? 0) - (b.created_at ?? 0);
}
