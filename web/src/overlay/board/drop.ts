import type { Artifact, CommandName, Task, TaskStatus } from '../../contracts/protocol.gen.ts';
import * as say from '../../contracts/words.gen.ts';

/** The effect of dropping a card; `why` is the reason if dropping it has no effect. */
export type Drop =
  | { kind: 'command'; name: CommandName; data: object; done: string }
  | { kind: 'approve'; artifact: Artifact }
  | { kind: 'assign' }
  | { kind: 'changes'; artifactId: string }
  | { kind: 'none'; why?: string };

const FINAL: readonly TaskStatus[] = ['done', 'cancelled'];

/** Returns the effect of dropping a card on an agent. */
export function dropOnAgent(task: Task, agentId: string, name: string): Drop {
  if (task.assignee === agentId) return { kind: 'none', why: `${name} already has this task.` };
  if (FINAL.includes(task.status)) return { kind: 'none', why: 'This task is finished. Run it again first.' };
  const expected = { expected_task_status: task.status };
  if (task.status === 'planned' && !task.assignee) {
    return { kind: 'command', name: 'assign_task', data: { task_id: task.task_id, agent_id: agentId, ...expected }, done: say.assigned(name) };
  }
  return { kind: 'command', name: 'reassign_task', data: { task_id: task.task_id, to_agent_id: agentId, ...expected }, done: say.reassigned(name) };
}

/**
 * Returns the effect of dropping a card in a column. Only a few moves have an effect, such as from review to done;
 * the office makes all other moves itself.
 */
export function dropOnColumn(task: Task, column: TaskStatus, review: Artifact | undefined): Drop {
  if (column === task.status) return { kind: 'none' };
  if (task.status === 'planned' && column === 'in_progress') return { kind: 'assign' };
  if (task.status === 'review' && review && column === 'done') return { kind: 'approve', artifact: review };
  if (task.status === 'review' && review && column === 'in_progress') return { kind: 'changes', artifactId: review.artifact_id };
  if (FINAL.includes(task.status) && column === 'planned') {
    return { kind: 'command', name: 'rerun_task', data: { source_task_id: task.task_id }, done: say.copyPlanned };
  }
  return { kind: 'none', why: reasons[column] };
}

const reasons: Record<TaskStatus, string> = {
  planned: 'Only a finished task can be planned again.',
  in_progress: 'Work starts when the task is assigned.',
  blocked: 'A task is blocked while an agent is waiting for your answer.',
  review: 'A task is in review once its deliverable is on the shelf.',
  done: 'A task is done when you approve its deliverable.',
  cancelled: 'To cancel a task, use “Cancel” on its card.',
};
