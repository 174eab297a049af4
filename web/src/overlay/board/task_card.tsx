import { FileText, RotateCcw, Trash2, UserPlus } from 'lucide';
import type { IconNode } from 'lucide';
import type { Task } from '../../contracts/protocol.gen.ts';
import { nameOf } from '../agent/name.ts';
import { Bar } from '../kit/bar.tsx';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Collisions } from '../proof/receipt.tsx';
import { VerdictBadge } from '../proof/verdict_badge.tsx';
import { startDrag } from './drag.ts';
import { taskPercent } from './progress.ts';
import * as say from '../../contracts/words.gen.ts';

const FINAL = new Set(['done', 'cancelled']);

/** A card for a task, with buttons for its commands. */
export function TaskCard({ task }: { task: Task }) {
  const office = useOffice();
  const { store, shell, focus } = office;
  const chosen = focus.selected.value?.kind === 'task' && focus.selected.value.id === task.task_id;
  const result = store.artifacts.value.filter((a) => a.task_id === task.task_id).sort((a, b) => b.version - a.version)[0];
  const worker = store.agents.value.find((a) => a.agent_id === task.assignee);
  return (
    <article class={`task-card status-${task.status}`} aria-current={chosen || undefined} onPointerDown={(e) => !isControl(e) && startDrag(office, task, e)}>
      <p class="strong three-lines" title={task.title}>
        <Words>{task.title}</Words>
      </p>
      {task.blocked_reason && (
        <p class="soft small">
          <Words>{task.blocked_reason}</Words>
        </p>
      )}
      <Collisions task={task} />
      {task.status === 'in_progress' && <Bar percent={taskPercent(task)} label="Progress" />}
      <VerdictBadge task={task} />
      <div class="task-foot">
        {task.assignee ? (
          <button type="button" class="who" title="Show this agent" onClick={() => shell.open({ kind: 'agent', id: task.assignee! })}>
            <Face id={task.assignee} role={worker?.role} size={20} />
            <Words class="clip">{nameOf(store.agents.value, task.assignee)}</Words>
          </button>
        ) : (
          <span class="soft small">{task.kind ?? 'task'}</span>
        )}
        <span class="task-tools">
          {result && <Tool label={`Open the result of ${task.title}`} icon={FileText} onClick={() => shell.open({ kind: 'artifact', id: result.artifact_id })} />}
          {!FINAL.has(task.status) && task.status !== 'review' && (
            <Tool label={`Assign ${task.title} to…`} icon={UserPlus} command onClick={() => (shell.dialog.value = { kind: 'assign', taskId: task.task_id })} />
          )}
          {FINAL.has(task.status) ? (
            <Tool label={`Run ${task.title} again`} icon={RotateCcw} command onClick={() => void shell.act('rerun_task', { source_task_id: task.task_id }, say.copyPlanned)} />
          ) : (
            <Tool label={`Cancel ${task.title}…`} icon={Trash2} command onClick={() => (shell.dialog.value = { kind: 'cancel', taskId: task.task_id })} />
          )}
        </span>
      </div>
    </article>
  );
}

function Tool({ label, icon, command, onClick }: { label: string; icon: IconNode; command?: boolean; onClick: () => void }) {
  const frozen = useOffice().shell.frozen.value;
  return (
    <button type="button" class="icon-button tiny" aria-label={label} title={(command && frozen) || label} disabled={command === true && frozen !== null} onClick={onClick}>
      <Icon of={icon} size={14} />
    </button>
  );
}

const isControl = (e: Event): boolean => e.target instanceof Element && e.target.closest('button') !== null;
