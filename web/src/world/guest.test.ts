import { describe, expect, test } from 'vitest';
import type { AgentProfile, AgentStatus, Decision, Snapshot, SnapshotMessage, TimelineEvent, Usage } from '../contracts/protocol.gen.ts';
import type { ServerMessage } from './rows.ts';
import { Store } from './store.ts';
import recorded from './testdata/guests.jsonl?raw';

const empty: Snapshot = { scene_id: 'room', agents: [], projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [] };
const noon = Date.UTC(2026, 10, 15, 12);
let made = 0;
const snapshot = (more: Partial<Snapshot> = {}): ServerMessage => ({ type: 'snapshot', id: `snap_${++made}`, ts: noon, v: 1, payload: { ...empty, ...more } });
const event = (seq: number, payload: TimelineEvent, ts = noon): ServerMessage => ({ type: 'event', id: `evt_s${seq}`, ts, v: 1, payload: { seq, ...payload } });
const goal = (seq: number, agent_id: string): ServerMessage =>
  ({ type: 'agent_goal', id: `goal_s${seq}`, ts: noon, v: 1, payload: { seq, agent_id, goal: { kind: 'go_to_poi', poi_id: 'poi_sofa' }, path: [[0, 0, 0], [1, 0, 0]], speed_mps: 1, state: 'WorkingAtPOI', why: 'A guest sits down.' } }) as ServerMessage;

const ada: AgentProfile = { agent_id: 'agent_claude_ada', name: 'Ada', role: 'guest', source: 'claude', session: 'claude:s1', place: '~/shop', model: 'opus' };
const sub: AgentProfile = { agent_id: 'agent_claude_sub', name: 'Explore', role: 'guest', source: 'claude', parent_id: ada.agent_id, session: 'claude:s1:a1' };
const working: AgentStatus = { agent_id: ada.agent_id, activity: 'working', line: 'Bash npm test', why: 'A tool runs.', authority: 'hook', since: noon, evidence: [{ source: 'hook', says: 'PreToolUse Bash', at: noon }] };
const ask = (id: string, more: Partial<Decision> = {}): Decision => ({ decision_id: id, status: 'open', kind: 'permission', prompt: 'Run npm test?', options: ['Allow once', 'Deny'], asked_by: ada.agent_id, permission: { tool: 'exec' }, ...more });

function office(...messages: ServerMessage[]): Store {
  const store = new Store(() => noon);
  store.applyAll([snapshot({ seq: 1 }), event(2, { name: 'agent_joined', agents: [ada, sub] }), ...messages]);
  return store;
}
const adaOf = (store: Store) => store.agents.value.find((a) => a.agent_id === ada.agent_id)!;

describe('guests', () => {
  test('arrive with a profile, which a new profile replaces completely', () => {
    const store = office();
    expect(adaOf(store)).toMatchObject({ ...ada, state: 'Offline' });
    expect(store.agents.value[1]).toMatchObject({ parent_id: ada.agent_id });
    const { place: _, model: __, ...rest } = ada;
    store.applyAll([event(3, { name: 'agent_status', agent_id: ada.agent_id, status: working }), event(4, { name: 'agent_joined', agents: [{ ...rest, place: '~/barn' }] })]);
    expect(adaOf(store)).toMatchObject({ place: '~/barn', activity: 'working', status_line: 'Bash npm test' });
    expect(adaOf(store).model).toBeUndefined();
  });

  test('have a conversation whose length is what the model read for its last message', () => {
    const used = (seq: number, usage: Usage) => event(seq, { name: 'usage_reported', agent_id: ada.agent_id, usage });
    const store = office(used(3, { tokens_in: 5, cache_read: 80_000, cache_write: 700, at: noon }));
    expect(adaOf(store).context).toBe(80_705);
    // A report on a whole turn has no time, and a report of only a price has no tokens.
    store.applyAll([used(4, { tokens_in: 500_000 }), used(5, { cost_usd: 1, at: noon })]);
    expect(adaOf(store).context).toBe(80_705);
    store.applyAll([used(6, { tokens_in: 12_000, at: noon })]);
    expect(adaOf(store).context).toBe(12_000);
  });

  test('are in the house when their room closes', () => {
    const store = office(
      event(3, { name: 'room_opened', room: { room_id: 'room_1', key: '~/shop', label: 'shop', module: 'studio', plot: [1, 0], accent: 'blue', desks: 1 } }),
      event(4, { name: 'agent_joined', agents: [{ ...ada, room_id: 'room_1', seat_id: 'anchor_desk_1_r1' }] }),
    );
    expect(adaOf(store).room_id).toBe('room_1');
    store.apply(event(5, { name: 'room_closed', room_id: 'room_1' }));
    expect(store.rooms.value).toEqual([]);
    expect(adaOf(store)).not.toHaveProperty('room_id');
    expect(adaOf(store)).not.toHaveProperty('seat_id');
  });

  test('show what the evidence says; a walk changes neither status nor reason', () => {
    const store = office(event(3, { name: 'agent_status', agent_id: ada.agent_id, status: working }), goal(4, ada.agent_id));
    expect(adaOf(store)).toMatchObject({ activity: 'working', authority: 'hook', why: 'A tool runs.', since: noon, status_line: 'Bash npm test', state: 'WorkingAtPOI', evidence: working.evidence });
    store.apply(event(5, { name: 'agent_status', agent_id: ada.agent_id, status: { agent_id: ada.agent_id, activity: 'idle', why: 'The turn ended.', authority: 'transcript' } }));
    const { status_line, since, evidence } = adaOf(store);
    expect([status_line, since, evidence]).toEqual([undefined, undefined, undefined]);
  });

  test('the status of crew members comes from their goal', () => {
    const { source: _, ...colleague } = ada;
    const store = office(event(3, { name: 'agent_joined', agents: [{ ...colleague, agent_id: 'agent_eng_1' }] }), event(4, { name: 'agent_status', status: { ...working, agent_id: 'agent_eng_1' } }));
    const crew = store.agents.value.find((a) => a.agent_id === 'agent_eng_1');
    expect(crew).toBeDefined();
    expect(crew?.activity).toBeUndefined();
  });

  test('evidence that a snapshot contradicts is not shown', () => {
    const store = office(event(3, { name: 'agent_status', agent_id: ada.agent_id, status: working }));
    const { evidence: _, motion: __, ...row } = adaOf(store);
    store.apply(snapshot({ seq: 4, agents: [{ ...row, activity: 'offline', authority: 'process', why: 'pid 4711 is gone' }] }));
    expect(adaOf(store).evidence).toBeUndefined();
    expect(store.agents.value).toHaveLength(1);
  });

  test('leave, in any order of messages', () => {
    const store = office(event(4, { name: 'agent_left', agent_id: sub.agent_id, reason: 'It finished.' }), event(3, { name: 'agent_status', status: { ...working, agent_id: sub.agent_id } }));
    expect(store.agents.value.map((a) => a.agent_id)).toEqual([ada.agent_id]);
    expect(store.feed.value.map((row) => row.name)).toEqual(['agent_joined', 'agent_left']);
    expect(store.frequent.value.map((row) => row.name)).toEqual(['agent_status']);
  });
});

describe('questions without a project', () => {
  test('need a person', () => {
    const store = office(event(3, { name: 'decision_requested', decision: ask('dec_a', { expires_at: noon + 600_000 }) }));
    expect(adaOf(store).needs_you).toBe(true);
    expect(store.needs.value).toMatchObject([{ ref: 'dec_a', kind: 'permission', agent_id: ada.agent_id }]);
    store.apply(event(4, { name: 'decision_cancelled', decision_id: 'dec_a', reason: 'Answered in the terminal.' }));
    expect(store.decisions.value[0]).toMatchObject({ status: 'cancelled', reason: 'Answered in the terminal.' });
    expect(adaOf(store).needs_you).toBeUndefined();
    expect(store.needs.value).toEqual([]);
  });

  test('stay visible for a while after the answer', () => {
    const asked = Array.from({ length: 70 }, (_, i) => [event(10 + 2 * i, { name: 'decision_requested', decision: ask(`dec_${i}`) }), event(11 + 2 * i, { name: 'decision_resolved', decision_id: `dec_${i}`, choice: 'Deny' })]).flat();
    const store = office(...asked, event(500, { name: 'decision_requested', decision: ask('dec_open') }));
    expect(store.decisions.value).toHaveLength(65);
    expect(store.decisions.value[0]).toMatchObject({ decision_id: 'dec_6', status: 'resolved', choice: 'Deny' });
  });
});

describe('usage', () => {
  const report = (seq: number, usage: Usage, ts = noon, agent_id = ada.agent_id) => event(seq, { name: 'usage_reported', agent_id, usage }, ts);

  test('adds up per agent, per day and in total; without a price it is unknown, not free', () => {
    const store = office(report(3, { tokens_in: 10, tokens_out: 5, cost_usd: 0.5 }), report(4, { tokens_in: 1, cache_read: 7 }), report(5, { tokens_out: 2, cost_usd: 0 }, noon, 'agent_gone'));
    expect(adaOf(store).usage).toEqual({ tokens_in: 11, tokens_out: 5, cache_read: 7, cost_usd: 0.5, priced: 1, unpriced: 1 });
    expect(store.usage.value).toEqual({
      day: '2026-11-15',
      today: { tokens_in: 11, tokens_out: 7, cache_read: 7, cost_usd: 0.5, priced: 2, unpriced: 1 },
      lifetime: { tokens_in: 11, tokens_out: 7, cache_read: 7, cost_usd: 0.5, priced: 2, unpriced: 1 },
    });
  });

  test('counts estimates', () => {
    const store = office(report(3, { tokens_in: 10, cost_usd: 1, estimated: true }), report(4, { tokens_in: 1, cost_usd: 2 }));
    expect(adaOf(store).usage).toEqual({ tokens_in: 11, tokens_out: 0, cost_usd: 3, priced: 2, unpriced: 0, estimated: 1 });
  });

  test('a new day starts at zero, and late reports do not change that', () => {
    const tomorrow = noon + 86_400_000;
    const store = office(report(3, { tokens_in: 10, cost_usd: 1 }), report(4, { tokens_in: 1, cost_usd: 2 }, tomorrow), report(5, { tokens_in: 1, cost_usd: 4 }));
    expect(store.usage.value).toMatchObject({ day: '2026-11-16', today: { cost_usd: 2, tokens_in: 1 }, lifetime: { cost_usd: 7, tokens_in: 12 } });
  });

  test('a snapshot is authoritative; a delta without a total keeps the current one', () => {
    const store = office(report(3, { tokens_in: 10 }));
    const usage = { day: '2026-11-15', today: { tokens_in: 1, tokens_out: 0, cost_usd: 0, priced: 0, unpriced: 1 }, lifetime: { tokens_in: 99, tokens_out: 0, cost_usd: 0, priced: 0, unpriced: 9 } };
    store.apply(snapshot({ seq: 3, usage }));
    expect(store.usage.value).toEqual(usage);
    store.apply(snapshot({ seq: 4, mode: 'delta' }));
    expect(store.usage.value).toEqual(usage);
    store.apply(snapshot({ seq: 5 }));
    expect(store.usage.value).toBeNull();
  });
});

describe('a recorded minute with guests', () => {
  // Written by scripts/record_guests.mjs.
  const log = recorded.trim().split('\n').map((line) => JSON.parse(line) as ServerMessage);
  const first = log[0]!;
  const last = log.at(-1) as SnapshotMessage;
  const between = log.slice(1, -1);
  const fold = (messages: readonly ServerMessage[]): Store => {
    const store = new Store(() => 0);
    for (const m of messages) store.apply(m);
    return store;
  };
  const people = (store: Store) => store.agents.value.map(({ motion: _m, from: _s, evidence: _e, pos: _p, facing: _f, ...rest }) => rest);
  const want = last.payload.agents.map(({ pos: _p, facing: _f, ...rest }) => rest);

  test("folds to the server's world: agents, questions, usage", () => {
    const store = fold([first, ...between]);
    expect(people(store)).toEqual(want);
    expect(store.decisions.value).toEqual(last.payload.decisions);
    expect(store.usage.value).toEqual(last.payload.usage);
    expect(store.agents.value.filter((a) => a.evidence).length).toBeGreaterThan(2);
  });

  test('in any order of arrival, and with duplicates', () => {
    const mixed = between.toSorted((a, b) => (a.id.length * 7919 + a.ts) % 101 - ((b.id.length * 7919 + b.ts) % 101));
    const store = fold([first, ...mixed, ...between]);
    expect(people(store)).toEqual(want);
    expect(store.usage.value).toEqual(last.payload.usage);
  });

  test('leaves no tool running in a turn that ended', () => {
    const open = fold([first, ...between]).hud.value.filter((turn) => turn.state !== 'running').flatMap((turn) => turn.children.filter((n) => n.state === 'running'));
    expect(open.map((n) => n.label)).toEqual([]);
  });
});
