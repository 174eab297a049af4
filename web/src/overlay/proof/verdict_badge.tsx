import type { Task } from '../../contracts/protocol.gen.ts';
import { verdictNotes, verdicts } from '../../contracts/words.gen.ts';
import { verdictIcons } from '../../look/verdicts.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { whyUnproven } from './check_words.ts';

/** Shows what checks prove about a task's files; a click shows the receipt. Shows nothing for a task without files. */
export function VerdictBadge({ task, open, onClick }: { task: Task | undefined; open?: boolean; onClick?: () => void }) {
  const { shell } = useOffice();
  if (!task?.verdict) return null;
  const { verdict } = task;
  const show = onClick ?? (() => (shell.dialog.value = { kind: 'receipt', taskId: task.task_id }));
  return (
    <button type="button" class={`verdict verdict-${verdict}`} title={[verdictNotes[verdict], whyUnproven(task), 'Click for the receipt.'].filter(Boolean).join(' ')} aria-expanded={open} onClick={show}>
      <Icon of={verdictIcons[verdict]} size={14} />
      {verdicts[verdict]}
    </button>
  );
}
