import type { Task, TaskStatus } from '../../contracts/protocol.gen.ts';
import { nameOf } from '../agent/name.ts';
import type { Office } from '../office.ts';
import { dropOnAgent, dropOnColumn, type Drop } from './drop.ts';

/** How far the pointer must move before a press becomes a drag, in CSS pixels. */
const DRAG_THRESHOLD_PX = 6;

/**
 * Starts dragging a card when the pressed pointer moves, and drops the card on release. The room watches focus.drag and
 * sets `over` to the agent under the pointer; the overlay checks only its own columns.
 */
export function startDrag(office: Office, task: Task, down: PointerEvent): void {
  if (down.button !== 0 || office.shell.frozen.peek() !== null) return;
  const { focus } = office;
  const move = (e: PointerEvent) => {
    if (e.pointerId !== down.pointerId) return;
    const was = focus.drag.peek();
    if (!was && Math.hypot(e.clientX - down.clientX, e.clientY - down.clientY) < DRAG_THRESHOLD_PX) return;
    e.preventDefault();
    focus.drag.value = { taskId: task.task_id, x: e.clientX, y: e.clientY, over: was?.over ?? null };
  };
  // Prevents text selection while the pointer drags a card.
  const noSelection = (e: Event) => e.preventDefault();
  const end = () => {
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', up);
    removeEventListener('pointercancel', end);
    removeEventListener('keydown', key, true);
    removeEventListener('selectstart', noSelection);
    focus.drag.value = null;
  };
  const up = (e: PointerEvent) => {
    if (e.pointerId !== down.pointerId) return;
    const drag = focus.drag.peek();
    end();
    if (!drag) return;
    suppressClick();
    // The press focused the card; blur it, so that keys trigger the office's shortcuts again.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    void applyDrop(office, task, columnAt(e.clientX, e.clientY), drag.over);
  };
  const key = (e: KeyboardEvent) => {
    if (e.key !== 'Escape' || !focus.drag.peek()) return;
    e.stopPropagation();
    end();
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', up);
  addEventListener('pointercancel', end);
  addEventListener('keydown', key, true);
  addEventListener('selectstart', noSelection);
}

/** Applies the effect of dropping a card on a column or on the agent `over`. */
export async function applyDrop(office: Office, task: Task, place: TaskStatus | 'panel' | null, over: string | null): Promise<void> {
  const { shell, store } = office;
  let drop: Drop = { kind: 'none' };
  if (place !== null && place !== 'panel') {
    const review = store.artifacts.peek().find((a) => a.task_id === task.task_id && a.status === 'in_review');
    drop = dropOnColumn(task, place, review);
  } else if (place === null && over !== null) {
    drop = dropOnAgent(task, over, nameOf(store.agents.peek(), over));
  }
  switch (drop.kind) {
    case 'command':
      await shell.act(drop.name, drop.data, drop.done);
      return;
    case 'approve':
      shell.approve(drop.artifact);
      return;
    case 'assign':
      shell.dialog.value = { kind: 'assign', taskId: task.task_id };
      return;
    case 'changes':
      shell.dialog.value = { kind: 'artifact', id: drop.artifactId, part: 'changes' };
      return;
    case 'none':
      if (drop.why) shell.toast(drop.why);
  }
}

function columnAt(x: number, y: number): TaskStatus | 'panel' | null {
  const below = document.elementFromPoint(x, y);
  const column = below?.closest<HTMLElement>('[data-column]')?.dataset['column'];
  if (column) return column as TaskStatus;
  return below?.closest('.card') ? 'panel' : null;
}

// Suppresses the click that the browser sends if a drag ends on the element where it began.
function suppressClick(): void {
  const over = new AbortController();
  addEventListener('click', (e) => e.stopPropagation(), { capture: true, signal: over.signal });
  setTimeout(() => over.abort(), 0);
}
