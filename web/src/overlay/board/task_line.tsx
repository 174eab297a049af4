import type { Task } from '../../contracts/protocol.gen.ts';
import { taskWords } from '../../world/words.ts';
import { nameOf } from '../agent/name.ts';
import { Bar } from '../kit/bar.tsx';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { VerdictBadge } from '../proof/verdict_badge.tsx';
import { startDrag } from './drag.ts';
import { taskPercent } from './progress.ts';
import { taskIcons } from './task_icon.ts';

/**
 * Shows a task on one line that can be dragged onto an agent. A click opens the assign dialog for an unassigned
 * planned task, and the board for any other task; a click on the verdict opens the receipt.
 */
export function TaskLine({ task }: { task: Task }) {
  const office = useOffice();
  const { store, shell } = office;
  return (
    <div class={`task-line status-${task.status}`}>
      <button
        type="button"
        class="task-open"
        title={`${task.title} · ${taskWords(task.status)}${task.status === 'planned' ? ' · drag onto a person' : ''}`}
        onPointerDown={(e) => startDrag(office, task, e)}
        onClick={() => (task.status === 'planned' && !task.assignee ? (shell.dialog.value = { kind: 'assign', taskId: task.task_id }) : shell.openBoard(task.task_id))}
      >
        <Icon of={taskIcons[task.status]} size={15} />
        <Words class="two-lines">{task.title}</Words>
        {task.assignee ? (
          <>
            <Face id={task.assignee} role={store.agents.value.find((a) => a.agent_id === task.assignee)?.role} size={20} />
            <span class="unseen">
              with {nameOf(store.agents.value, task.assignee)}, {taskWords(task.status)}
            </span>
          </>
        ) : (
          <span class="soft small">{task.status === 'planned' ? 'assign' : taskWords(task.status)}</span>
        )}
      </button>
      <VerdictBadge task={task} />
      {task.status === 'in_progress' && <Bar percent={taskPercent(task)} label="Progress" />}
    </div>
  );
}
