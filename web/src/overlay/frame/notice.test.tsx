import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import type { NoticeRow } from '../../world/store.ts';
import { agent, bench, draw } from '../testing.tsx';
import { Notices } from './notice.tsx';
import { StatusLines } from './status_line.tsx';

afterEach(cleanup);

/** The server's time in these tests; it does not advance. */
const NOW = 1_000_000;

const notice = (id: string, more: Partial<NoticeRow> = {}): NoticeRow => ({ id, seq: 1, ts: NOW, text: `Text ${id}`, level: 'info', replay: false, ...more });

it('shows new messages as text, the newest three, until they are dismissed', async () => {
  const office = bench({ agents: [agent('agent_ada')] }, () => NOW);
  const hostile = '<img src=x onerror=alert(1)> \u202Egpj';
  office.store.notices.value = [notice('a'), notice('old', { replay: true }), notice('b'), notice('c', { level: 'warning' }), notice('d', { level: 'error', text: hostile, title: 'Build', agent_id: 'agent_ada' })];
  const view = draw(office, <Notices />);
  expect(view.container.querySelectorAll('.notice')).toHaveLength(3);
  expect(screen.queryByText('Text old')).toBeNull();
  expect(view.container.querySelector('img')).toBeNull();
  expect(screen.getByRole('alert').textContent).toContain('ada · Build<img src=x onerror=alert(1)> ⟨RLO⟩gpj');
  fireEvent.click(screen.getAllByLabelText('Dismiss').at(-1)!);
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

it('distinguishes warnings from information, and shows where the rest is', () => {
  const office = bench({}, () => NOW);
  office.store.notices.value = ['a', 'b', 'c', 'd', 'e'].map((id) => notice(id, id === 'e' ? { level: 'warning' } : {}));
  const view = draw(office, <Notices />);
  expect(view.container.querySelectorAll('.notice-warn')).toHaveLength(1);
  expect(view.container.querySelectorAll('.notice-plain')).toHaveLength(2);
  fireEvent.click(screen.getByText('2 more in Events'));
  expect(office.shell.panel.value).toBe('feed');
});

it('hides information after a while, but not errors', () => {
  const office = bench({}, () => NOW);
  office.store.notices.value = [notice('a', { ts: NOW - 60_000 }), notice('b', { ts: NOW - 60_000, level: 'error' })];
  const view = draw(office, <Notices />);
  expect(view.container.querySelectorAll('.notice')).toHaveLength(1);
});

it('shows the first line of a status while it is valid', () => {
  const office = bench({ agents: [agent('agent_ada')] }, () => NOW);
  office.store.status.value = [
    { key: 'a', kind: 'status', seq: 1, ts: 1, text: 'Over', expires_at: 5 },
    { key: 'b', kind: 'status', seq: 2, ts: NOW, text: 'Indexing\nsecond line', agent_id: 'agent_ada' },
  ];
  const view = draw(office, <StatusLines />);
  expect(view.container.textContent).toBe('ada: Indexing');
});

it('shows how old a status is, and no status of an agent that has left', () => {
  const office = bench({ agents: [agent('agent_ada')] }, () => NOW);
  office.store.status.value = [
    { key: 'a', kind: 'status', seq: 1, ts: NOW - 12 * 60_000, text: 'Indexing', agent_id: 'agent_ada' },
    { key: 'b', kind: 'status', seq: 2, ts: NOW, text: 'Deploying', agent_id: 'agent_gone' },
  ];
  const view = draw(office, <StatusLines />);
  expect(view.container.textContent).toBe('ada: Indexing12 min ago');
});
