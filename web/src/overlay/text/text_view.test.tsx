import { cleanup, fireEvent, screen, within } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import { agent, artifact, bench, decision, draw, openStudios, project, task } from '../testing.tsx';
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
  const tasks = within(screen.getByLabelText('Tasks in Tea shop'));
  expect(tasks.getByText('40%')).toBeTruthy();
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

it('shows studios with counts, and the studio of each agent', () => {
  const office = bench({ agents: [agent('agent_a', { source: 'claude', activity: 'working', room_id: 'room_1' }), agent('agent_b', { source: 'claude', activity: 'waiting', needs_you: true, room_id: 'room_1' }), agent('agent_c')] });
  openStudios(office, 'shop-api');
  draw(office, <TextView />);
  const cells = (label: string) => within(screen.getByLabelText(label)).getAllByRole('row').slice(1).map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent));
  expect(cells('Studios, table')).toEqual([['Cozy office', '1', '0', '0', '0', '1', 'nothing used'], ['shop-api', '2', '1', '0', '1', '0', 'nothing used']]);
  expect(cells('People, table').map((row) => row.slice(0, 2))).toEqual([['a', 'shop-api'], ['b', 'shop-api'], ['c', 'Cozy office']]);
});
