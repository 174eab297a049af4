import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, artifact, bench, draw, project, task } from '../testing.tsx';
import { AssignDialog } from './assign_dialog.tsx';
import { Board } from './board.tsx';
import { CancelDialog } from './cancel_dialog.tsx';
import { dropOnAgent, dropOnColumn } from './drop.ts';
import { candidates } from './fit.ts';

afterEach(async () => {
  cleanup();
  // Wait: after a drag, clicks are ignored until the next turn of the event loop.
  await new Promise((done) => setTimeout(done));
});

describe('drop', () => {
  it.each([
    ['a planned task is assigned', task('task_a'), 'assign_task', { task_id: 'task_a', agent_id: 'agent_b', expected_task_status: 'planned' }],
    ['a task in progress is reassigned', task('task_a', { status: 'in_progress', assignee: 'agent_c' }), 'reassign_task', { task_id: 'task_a', to_agent_id: 'agent_b', expected_task_status: 'in_progress' }],
  ])('on a person: %s', (_, what, name, data) => {
    expect(dropOnAgent(what, 'agent_b', 'B')).toMatchObject({ kind: 'command', name, data });
  });

  it('on an agent: does nothing if it has the task, or if the task is finished', () => {
    expect(dropOnAgent(task('t', { assignee: 'agent_b' }), 'agent_b', 'B').kind).toBe('none');
    expect(dropOnAgent(task('t', { status: 'done' }), 'agent_b', 'B').kind).toBe('none');
  });

  it.each([
    ['planned', 'in_progress', 'assign'],
    ['review', 'done', 'approve'],
    ['review', 'in_progress', 'changes'],
    ['done', 'planned', 'command'],
    ['planned', 'done', 'none'],
    ['in_progress', 'blocked', 'none'],
  ] as const)('from %s to %s: %s', (from, to, kind) => {
    expect(dropOnColumn(task('task_a', { status: from }), to, artifact()).kind).toBe(kind);
  });
});

describe('board', () => {
  const rows = () => ({ agents: [agent('agent_bram', { role: 'researcher' })], projects: [project()], tasks: [task('task_a', { kind: 'research' }), task('task_b', { status: 'done' })] });

  it('drags a card onto an agent in the room', async () => {
    const office = bench(rows());
    const view = draw(office, <Board />);
    document.elementFromPoint = () => null;
    const card = view.container.querySelector('.task-card')!;
    fireEvent(card, new PointerEvent('pointerdown', { bubbles: true, button: 0, pointerId: 1, clientX: 0, clientY: 0 }));
    fireEvent(window, new PointerEvent('pointermove', { pointerId: 1, clientX: 3, clientY: 0 }));
    expect(office.focus.drag.value).toBeNull();
    fireEvent(window, new PointerEvent('pointermove', { pointerId: 1, clientX: 60, clientY: 40 }));
    expect(office.focus.drag.value).toEqual({ taskId: 'task_a', x: 60, y: 40, over: null });
    office.focus.drag.value = { ...office.focus.drag.value!, over: 'agent_bram' };
    fireEvent(window, new PointerEvent('pointermove', { pointerId: 1, clientX: 61, clientY: 40 }));
    fireEvent(window, new PointerEvent('pointerup', { pointerId: 1, clientX: 61, clientY: 40 }));
    await waitFor(() => expect(office.sent).toEqual([['assign_task', { task_id: 'task_a', agent_id: 'agent_bram', expected_task_status: 'planned' }]]));
    expect(office.focus.drag.value).toBeNull();
  });

  it('drops a card in a column', async () => {
    const office = bench(rows());
    const view = draw(office, <Board />);
    document.elementFromPoint = () => view.container.querySelector('[data-column="planned"]');
    const done = view.container.querySelector('[data-column="done"] .task-card')!;
    fireEvent(done, new PointerEvent('pointerdown', { bubbles: true, button: 0, pointerId: 1, clientX: 0, clientY: 0 }));
    fireEvent(window, new PointerEvent('pointermove', { pointerId: 1, clientX: 60, clientY: 40 }));
    fireEvent(window, new PointerEvent('pointerup', { pointerId: 1, clientX: 60, clientY: 40 }));
    await waitFor(() => expect(office.sent).toEqual([['rerun_task', { source_task_id: 'task_b' }]]));
  });

  it('cancels a drag on Escape', () => {
    const office = bench(rows());
    const view = draw(office, <Board />);
    fireEvent(view.container.querySelector('.task-card')!, new PointerEvent('pointerdown', { bubbles: true, button: 0, pointerId: 1 }));
    fireEvent(window, new PointerEvent('pointermove', { pointerId: 1, clientX: 60, clientY: 40 }));
    fireEvent.keyDown(window, { key: 'Escape' });
    expect(office.focus.drag.value).toBeNull();
    fireEvent(window, new PointerEvent('pointerup', { pointerId: 1, clientX: 60, clientY: 40 }));
    expect(office.sent).toEqual([]);
  });

  it('assigns without dragging: suitable and free agents come first', async () => {
    const office = bench({ ...rows(), agents: [agent('agent_bd', { role: 'bd' }), agent('agent_eng', { role: 'engineer' }), agent('agent_bram', { role: 'researcher' })] });
    expect(candidates(task('task_a', { kind: 'research' }), office.store.agents.value).map((c) => [c.agent.agent_id, c.fit, c.busy !== undefined])).toEqual([
      ['agent_bram', 'good', false],
      ['agent_eng', 'other', false],
      ['agent_bd', 'other', true],
    ]);
    draw(office, <AssignDialog taskId="task_a" />);
    fireEvent.click(screen.getByText('bram'));
    await waitFor(() => expect(office.sent[0]?.[0]).toBe('assign_task'));
  });

  it('asks before cancelling, and sends the confirmation', async () => {
    const office = bench(rows());
    draw(office, <CancelDialog taskId="task_a" />);
    fireEvent.input(screen.getByLabelText('Reason'), { target: { value: 'Not needed' } });
    fireEvent.click(screen.getByText('Cancel the task'));
    await waitFor(() => expect(office.sent).toEqual([['cancel_task', { task_id: 'task_a', confirm: true, reason: 'Not needed', expected_task_status: 'planned' }]]));
  });

  it('shows auto-assign and pause for the project', async () => {
    const office = bench(rows());
    draw(office, <Board />);
    fireEvent.click(screen.getByText(/Auto-assign/));
    fireEvent.click(screen.getByText('Pause'));
    await waitFor(() => expect(office.sent).toEqual([['auto_assign', { project_id: 'proj_a' }], ['pause_project', { project_id: 'proj_a' }]]));
  });
});
