import { cleanup, fireEvent, screen, within } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import { agent, artifact, bench, decision, draw, project, task } from '../testing.tsx';
import { TextView } from './text_view.tsx';

afterEach(cleanup);

it('shows the same state as headings, tables and lists', () => {
  const office = bench({
    agents: [agent('agent_bram', { role: 'researcher', state: 'WorkingAtPOI', task_id: 'task_a', why: 'Assigned by you', runner: 'rehearsal', needs_you: true })],
    projects: [project()],
    tasks: [task('task_a', { status: 'in_progress', assignee: 'agent_bram', percent: 40 })],
    decisions: [decision()],
    artifacts: [artifact({ status: 'approved' })],
  });
  draw(office, <TextView />);
  expect(screen.getAllByRole('heading', { level: 2 }).map((h) => h.textContent)).toEqual(['Needs you (1)', 'People (1)', 'Projects and tasks', 'Deliverables (1)', 'Chat', 'Events']);
  const people = within(screen.getByLabelText('People, table'));
  for (const words of ['bram', 'Researcher', 'Working, needs you', 'Assigned by you', 'Task task_a', 'Rehearsal']) expect(people.getByText(words)).toBeTruthy();
  const tasks = within(screen.getByLabelText('Tasks of Tea shop'));
  expect(tasks.getByText('40 %')).toBeTruthy();
  fireEvent.click(tasks.getByText('Assign…'));
  expect(office.shell.dialog.value).toEqual({ kind: 'assign', taskId: 'task_a' });
});

it('is the only view without a 3D view, and shows why', () => {
  const office = bench();
  office.listOnly.value = true;
  office.noRoom.value = 'This browser cannot draw the room.';
  draw(office, <TextView />);
  expect(screen.queryByText('Back to the room')).toBeNull();
  expect(screen.getByText('This browser cannot draw the room.')).toBeTruthy();
});
