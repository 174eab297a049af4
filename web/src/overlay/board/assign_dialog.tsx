import { useSignal } from '@preact/signals';
import { Sparkles } from 'lucide';
import { roleWords, stateWords } from '../../world/words.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { dropOnAgent } from './drop.ts';
import { candidates, type Candidate } from './fit.ts';
import * as say from '../../contracts/words.gen.ts';

const fitWords = { good: say.goodFit, fair: say.fairFit, other: '' };

/** Lists the agents that could take a task, so that it can be assigned without dragging. */
export function AssignDialog({ taskId }: { taskId: string }) {
  const { store, shell } = useOffice();
  const refusal = useSignal<Refused | null>(null);
  const task = store.tasks.value.find((t) => t.task_id === taskId);
  const close = () => (shell.dialog.value = null);
  if (!task) return null;
  const give = async (c: Candidate) => {
    const drop = dropOnAgent(task, c.agent.agent_id, c.agent.name ?? c.agent.agent_id);
    if (drop.kind !== 'command') return;
    const reply = await shell.act(drop.name, drop.data, drop.done, true);
    if (reply.ok) close();
    else refusal.value = refused(reply);
  };
  const auto = async () => {
    const reply = await shell.act('auto_assign', { project_id: task.project_id }, say.tasksAssigned, true);
    if (reply.ok) close();
    else refusal.value = refused(reply);
  };
  return (
    <Dialog title={say.assignTo} label="Assign to" class="small-dialog" onClose={close}>
      <p class="soft">
        <Words>{task.title}</Words>
      </p>
      <ul class="people" aria-label={say.viewPeople}>
        {candidates(task, store.agents.value).map((c) => (
          <li key={c.agent.agent_id}>
            <button type="button" class="row person" disabled={c.busy !== undefined || shell.frozen.value !== null} onClick={() => void give(c)}>
              <Face id={c.agent.agent_id} role={c.agent.role} size={30} />
              <span class="person-words">
                <Words class="strong clip">{c.agent.name ?? c.agent.agent_id}</Words>
                <span class="soft small">
                  {roleWords(c.agent.role)} · {c.busy ?? stateWords(c.agent.state)}
                </span>
              </span>
              {c.fit !== 'other' && <span class="tag">{fitWords[c.fit]}</span>}
            </button>
          </li>
        ))}
      </ul>
      {task.status === 'planned' && (
        <button type="button" class="button" disabled={shell.frozen.value !== null} onClick={() => void auto()}>
          <Icon of={Sparkles} />
          {say.letOfficeDecide}
        </button>
      )}
      {shell.frozen.value && <p class="frozen">{shell.frozen.value}</p>}
      <Refusal of={refusal} />
    </Dialog>
  );
}
