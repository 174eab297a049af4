import { cleanup, fireEvent, screen } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import type { FeedRow } from '../../world/store.ts';
import { agent, bench, draw, project, task } from '../testing.tsx';
import { Feed } from './feed.tsx';
import { filterFeed, NO_FILTER } from './filter.ts';

afterEach(cleanup);

const row = (seq: number, name: string, more: Partial<FeedRow['event']> = {}, known = true): FeedRow => ({ id: `e${seq}`, seq, ts: seq, name, event: { name, ...more }, known, replay: false });
const rows = [row(1, 'task_started', { task_id: 'task_a', agent_id: 'agent_bram', project_id: 'proj_a' }), row(2, 'decision_requested', { project_id: 'proj_b' }), row(3, 'moon_rose', {}, false)];

it('filters by project, agent and kind, newest first', () => {
  expect(filterFeed(rows, NO_FILTER).map((r) => r.seq)).toEqual([3, 2, 1]);
  expect(filterFeed(rows, { ...NO_FILTER, project: 'proj_a' }).map((r) => r.seq)).toEqual([1]);
  expect(filterFeed(rows, { ...NO_FILTER, agent: 'agent_bram' }).map((r) => r.seq)).toEqual([1]);
  expect(filterFeed(rows, { ...NO_FILTER, kind: 'questions' }).map((r) => r.seq)).toEqual([2]);
  expect(filterFeed(rows, { ...NO_FILTER, kind: 'other' }).map((r) => r.seq)).toEqual([3]);
});

it('shows who answered and how they signed in, in one list with logins and exports', () => {
  const office = bench({ agents: [agent('agent_bram')] });
  const answered = row(4, 'decision_resolved', { agent_id: 'agent_bram', choice: 'Allow once', by: 'tok_a', via: 'a browser session of the owner' });
  office.store.feed.value = [...rows, answered, row(5, 'audited', { by: 'owner', meta: { title: 'owner exported the ledger' } })];
  const view = draw(office, <Feed />);
  fireEvent.change(screen.getByLabelText('Kind'), { target: { value: 'audit' } });
  const words = [...view.container.querySelectorAll('.feed-row')].map((el) => el.textContent);
  expect(words).toHaveLength(2);
  expect(words[1]).toContain('via a browser session of the ownerAllow once');
});

it('shows an unknown name as it is, and a click focuses what the row is about', () => {
  const office = bench({ agents: [agent('agent_bram')], projects: [project()], tasks: [task('task_a')] });
  office.store.feed.value = rows;
  draw(office, <Feed />);
  expect(screen.getByText('moon_rose').tagName).toBe('CODE');
  fireEvent.click(screen.getByText('Work started'));
  expect(office.focus.lookAt.value).toEqual({ kind: 'agent', id: 'agent_bram' });
  expect(office.shell.board.value).toBe(true);
});

it('lists all workflow messages under Everything, including those from before the page was opened', () => {
  const office = bench({ agents: [agent('agent_bram')], projects: [project()] });
  office.store.feed.value = rows;
  office.store.notices.value = [1.5, 2.5, 4, 5].map((seq) => ({ id: `n${seq}`, seq, ts: seq, text: `Said ${seq}`, level: seq === 4 ? 'warning' : 'info', replay: seq < 4, ...(seq === 5 && { agent_id: 'agent_bram' }) }));
  const view = draw(office, <Feed />);
  const words = () => [...view.container.querySelectorAll('.feed-row')].map((el) => el.textContent);
  expect(words()).toHaveLength(7);
  expect(words()[0]).toContain('Said 5');
  expect(words()[1]).toContain('WarningSaid 4');
  expect(view.container.querySelectorAll('.level-warn')).toHaveLength(1);
  fireEvent.change(screen.getByLabelText('Kind'), { target: { value: 'messages' } });
  expect(words()).toHaveLength(4);
  fireEvent.change(screen.getByLabelText('Agent'), { target: { value: 'agent_bram' } });
  expect(words()).toHaveLength(1);
});
