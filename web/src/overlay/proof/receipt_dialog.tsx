import { Dialog } from '../kit/dialog.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Receipt } from './receipt.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows the receipt of a task. */
export function ReceiptDialog({ taskId }: { taskId: string }) {
  const { store, shell } = useOffice();
  const task = store.tasks.value.find((t) => t.task_id === taskId);
  if (!task) return null;
  return (
    <Dialog title={<Words class="two-lines">{task.title}</Words>} label={say.receipt} class="receipt-dialog" onClose={() => (shell.dialog.value = null)}>
      <Receipt task={task} />
    </Dialog>
  );
}
