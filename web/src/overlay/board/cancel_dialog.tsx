import { useSignal } from '@preact/signals';
import { LIMIT_NOTE } from '../../contracts/limits.gen.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Asks for confirmation before a task is cancelled. */
export function CancelDialog({ taskId }: { taskId: string }) {
  const { store, shell } = useOffice();
  const reason = useSignal('');
  const refusal = useSignal<Refused | null>(null);
  const task = store.tasks.value.find((t) => t.task_id === taskId);
  const close = () => (shell.dialog.value = null);
  if (!task) return null;
  const cancel = async () => {
    const why = reason.peek().trim();
    const data = { task_id: taskId, confirm: true, ...(why && { reason: why }), expected_task_status: task.status };
    const reply = await shell.act('cancel_task', data, say.taskCancelled, true);
    if (reply.ok) close();
    else refusal.value = refused(reply);
  };
  return (
    <Dialog title={say.cancelTask} label="Cancel a task" class="small-dialog" onClose={close}>
      <p>
        <Words>{say.cancelEffect(task.title)}</Words>
      </p>
      <input class="field" dir="auto" aria-label={say.cancelReason} placeholder="Reason (optional)" maxLength={LIMIT_NOTE} value={reason.value} onInput={(e) => (reason.value = e.currentTarget.value)} />
      <div class="options">
        <button type="button" class="button" onClick={close}>
          {say.keepTask}
        </button>
        <button type="button" class="button primary" disabled={shell.frozen.value !== null} onClick={() => void cancel()}>
          {say.cancelNow}
        </button>
      </div>
      <Refusal of={refusal} />
    </Dialog>
  );
}
