import { describe, expect, test } from 'vitest';
import type { TimelineEvent } from '../contracts/protocol.gen.ts';
import { kickoffLines, type KickoffView } from './kickoff.ts';
import type { AgentView, FeedRow, StreamView } from './rows.ts';

const row = (seq: number, ts: number, name: string, event: Partial<TimelineEvent>, replay = false): FeedRow => ({ id: `evt_${seq}`, seq, ts, name, event: { project_id: 'project_p1', ...event } as TimelineEvent, known: true, replay });
const seated = (id: string, at: number) => ({ agent_id: id, state: 'InMeeting', pos: [0, 0, 0], motion: { started_at: at } }) as unknown as AgentView;
const writes = (text: string, at: number): StreamView => ({ stream_id: 's', kind: 'thought', text, done: false, at, seq: 1 });
const started = row(1, 1000, 'kickoff_started', { participants: ['agent_bd', 'agent_writer_1'] });

function world(over: Partial<KickoffView>): KickoffView {
  return { feed: [started], projects: [{ project_id: 'project_p1', title: 'CI', status: 'planning', request: 'Why is our nightly CI slow?' }], agents: [], streams: new Map(), ...over };
}

describe('kickoff lines', () => {
  test('the lead repeats the request once seated, and stops after a while', () => {
    expect(kickoffLines(world({}), 2000).size).toBe(0);
    const w = world({ agents: [seated('agent_bd', 3000), seated('agent_writer_1', 3200)] });
    expect([...kickoffLines(w, 3100)]).toEqual([['agent_bd', '“Why is our nightly CI slow?”']]);
    expect(kickoffLines(w, 9000).size).toBe(0);
  });

  test('agents that write at the table think aloud, in the words of the stream', () => {
    const agents = [seated('agent_bd', 3000)], streams = new Map([['agent_bd', writes('First I look at the cache. Then the slow tests', 9500)]]);
    expect(kickoffLines(world({ agents, streams }), 10_000).get('agent_bd')).toBe('Then the slow tests');
    expect(kickoffLines(world({ agents, streams }), 20_000).size).toBe(0);
  });

  test('agents that got a task say which one, one after the other', () => {
    const feed = [started, row(5, 9000, 'kickoff_finished', {}), row(6, 9000, 'task_assigned', { agent_id: 'agent_writer_1', meta: { summary: 'Write the report' } }), row(7, 9000, 'task_assigned', { agent_id: 'agent_eng_1', meta: { summary: 'Measure the build' } })];
    expect([...kickoffLines(world({ feed }), 9100)]).toEqual([['agent_writer_1', 'I’ll take “Write the report”.']]);
    expect([...kickoffLines(world({ feed }), 11_000).keys()]).toEqual(['agent_writer_1', 'agent_eng_1']);
    expect(kickoffLines(world({ feed }), 30_000).size).toBe(0);
  });

  test('are empty for a kickoff from before the page was open', () => {
    const feed = [row(1, 1000, 'kickoff_started', { participants: ['agent_bd'] }, true), row(6, 1000, 'task_assigned', { agent_id: 'agent_eng_1', meta: { summary: 'x' } }, true)];
    expect(kickoffLines(world({ feed, agents: [seated('agent_bd', 1000)] }), 1100).size).toBe(0);
  });
});
