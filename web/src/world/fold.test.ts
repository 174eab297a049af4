import { describe, expect, test } from 'vitest';
import type { Agent, Project, Snapshot, SnapshotMessage, Task } from '../contracts/protocol.gen.ts';
import { position } from './position.ts';
import type { ServerMessage } from './rows.ts';
import { Store } from './store.ts';
import recorded from './testdata/first_minute.jsonl?raw';

// Written by scripts/record.mjs.
const log: ServerMessage[] = recorded
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ServerMessage);
const first = log[0] as SnapshotMessage;
const last = log.at(-1) as SnapshotMessage;
const between = log.slice(1, -1);

function folded(messages: readonly ServerMessage[]): Store {
  const store = new Store(() => 0);
  for (const m of messages) store.apply(m);
  return store;
}

function worldOf(store: Store) {
  const { agents, projects, tasks, artifacts, decisions, decor } = store;
  return [agents, projects, tasks, artifacts, decisions, decor].map((s) => s.value);
}

// Returns the list shuffled, in the same order for the same seed.
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const out = [...list];
  let x = seed;
  for (let i = out.length - 1; i > 0; i--) {
    x = (x * 1103515245 + 12345) % 2147483648;
    const j = x % (i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}

describe('a recorded first minute', () => {
  const store = folded([first, ...between]);

  test("folding the records gives the server's world", () => {
    expect(store.projects.value).toEqual(last.payload.projects);
    expect(store.tasks.value).toEqual(last.payload.tasks);
    expect(store.artifacts.value).toEqual(last.payload.artifacts);
    expect(store.decisions.value).toEqual(last.payload.decisions);
    expect(store.decor.value).toEqual(last.payload.office_decor);
    expect(store.seq.value).toBe(last.payload.seq);
  });

  test('status, goal and position of the agents match the server (W17)', () => {
    for (const row of last.payload.agents) {
      const view = store.agents.value.find((a) => a.agent_id === row.agent_id)!;
      const { motion, from, pos: _pos, facing: _facing, ...known } = view;
      const { pos, facing, ...expected } = row;
      expect(known).toEqual(expected);
      expect(motion).toBeDefined();
      expect(from).toBe(store.sources.value.find((s) => s.scripted));
      const at = position(view, last.ts);
      at.pos.forEach((x, i) => expect(x).toBeCloseTo(pos[i]!, 2));
      at.heading.forEach((x, i) => expect(x).toBeCloseTo(facing![i]!, 2));
    }
  });

  test('any order of arrival gives the same scene', () => {
    const expected = worldOf(folded([...log]));
    for (const seed of [1, 2, 3, 4, 5]) expect(worldOf(folded(shuffled(log, seed)))).toEqual(expected);
  });

  test('a resume at any record, with overlapping messages, gives the same world', () => {
    const expected = worldOf(store);
    for (let cut = 1; cut < between.length; cut++) {
      const again = between.slice(Math.max(0, cut - 5), cut);
      const cutStore = new Store(() => 0);
      cutStore.applyAll([first, ...between.slice(0, cut)]);
      cutStore.applyAll([...again, ...between.slice(cut)]);
      expect(worldOf(cutStore)).toEqual(expected);
    }
  });

  test('lists hold every line once, in ledger order', () => {
    const twice = folded([...shuffled(log, 9), ...log]);
    const events = between.filter((m) => m.type === 'event');
    expect(twice.feed.value.map((row) => row.id)).toEqual(events.map((m) => m.id));
    const seqs = twice.chats.value.map((row) => row.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  test('a message that has already been applied changes no signal', () => {
    const before = worldOf(store);
    store.apply({ ...last, id: 'snap_again' });
    store.apply(between.at(-1)!);
    worldOf(store).forEach((value, i) => i > 0 && expect(value).toBe(before[i]));
  });
});

const empty: Snapshot = { scene_id: 'room', agents: [], projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [] };
const snap = (seq: number, rows: Partial<Snapshot>, ts = seq): SnapshotMessage => ({
  type: 'snapshot', id: `snap_${seq}_${ts}`, ts, v: 1, payload: { ...empty, seq, ...rows },
});
const event = (seq: number, payload: object): ServerMessage =>
  ({ type: 'event', id: `evt_${seq}`, ts: seq, v: 1, payload: { seq, ...payload } }) as ServerMessage;
const task: Task = { task_id: 'task_a', project_id: 'proj_a', title: 'Bread', status: 'planned' };
const project: Project = { project_id: 'proj_a', title: 'Bakery', status: 'executing' };
const ada: Agent = { agent_id: 'agent_a', name: 'Ada', state: 'IdleAtHome', pos: [0, 0, 0] };

describe('a snapshot', () => {
  test('older than the applied events reverts nothing', () => {
    const store = folded([
      snap(5, { tasks: [task], projects: [project], agents: [ada] }),
      event(8, { name: 'task_assigned', task_id: 'task_a', agent_id: 'agent_a' }),
      snap(7, { tasks: [task], projects: [project], agents: [ada] }),
      snap(4, {}),
    ]);
    expect(store.tasks.value[0]?.assignee).toBe('agent_a');
    expect(store.agents.value[0]?.task_id).toBe('task_a');
  });

  test('of an older office, which sends no sources, still marks a rehearsal', () => {
    const store = folded([snap(5, { agents: [{ ...ada, runner: 'rehearsal' }] })]);
    expect(store.agents.value[0]?.from?.scripted).toBe(true);
    store.apply(snap(6, { agents: [{ ...ada, runner: 'toy' }], sources: [{ source: 'toy', label: 'Toy', color: '#336699' }] }));
    expect(store.agents.value[0]?.from?.label).toBe('Toy');
  });

  test('in delta mode changes the listed rows and removes the ones that are gone (W16)', () => {
    const other = { ...task, task_id: 'task_b' };
    const store = folded([snap(5, { tasks: [task, other], projects: [project] })]);
    const kept = store.tasks.value[1];
    store.apply(snap(6, { mode: 'delta', base: 'snap_5_5', tasks: [{ ...task, status: 'done' }], removed: ['proj_a'] }));
    expect(store.tasks.value.map((t) => t.status)).toEqual(['done', 'planned']);
    expect(store.tasks.value[1]).toBe(kept);
    expect(store.projects.value).toEqual([]);
  });

  test('drops a motion that it does not confirm, but keeps a newer one', () => {
    const goal = (seq: number): ServerMessage => ({
      type: 'agent_goal', id: `goal_${seq}`, ts: seq * 1000, v: 1,
      payload: { seq, agent_id: 'agent_a', goal: { kind: 'go_home' }, path: [[0, 0, 0], [9, 0, 0]], speed_mps: 1, started_at: seq * 1000, state: 'WalkingToPOI' },
    });
    const store = folded([snap(1, { agents: [ada] }, 1000), goal(2)]);
    expect(store.agents.value[0]).toMatchObject({ state: 'WalkingToPOI', motion: { seq: 2 } });
    store.apply(snap(1, { agents: [ada] }, 2500));
    expect(store.agents.value[0]?.motion?.seq).toBe(2);
    store.apply(snap(2, { agents: [{ ...ada, state: 'WalkingToPOI', goal: { kind: 'go_home' }, pos: [1, 0, 0] }] }, 3000));
    expect(store.agents.value[0]?.motion?.seq).toBe(2);
    store.apply(snap(4, { agents: [ada] }, 4000));
    expect(store.agents.value[0]?.motion).toBeUndefined();
  });
});

describe('single events', () => {
  test('a pause lasts until resume, whatever the tasks do (W14)', () => {
    const store = folded([snap(1, { tasks: [task], projects: [project] }), event(2, { name: 'project_paused', project_id: 'proj_a' })]);
    store.apply(event(3, { name: 'task_blocked', task_id: 'task_a', project_id: 'proj_a', reason: 'why' }));
    expect(store.projects.value[0]?.status).toBe('paused');
    store.apply(event(4, { name: 'project_resumed', project_id: 'proj_a' }));
    expect(store.projects.value[0]?.status).toBe('blocked');
  });

  test('an open question creates a need and marks the agent; the answer ends both', () => {
    const asking = { ...ada, task_id: 'task_a' };
    const store = folded([snap(1, { tasks: [task], agents: [asking] })]);
    const decision = { decision_id: 'dec_a', project_id: 'proj_a', task_id: 'task_a', status: 'open', prompt: 'Rye?', options: ['Yes'], asked_by: 'agent_a' };
    store.apply(event(2, { name: 'decision_requested', decision }));
    expect(store.needs.value).toMatchObject([{ ref: 'dec_a', kind: 'decision', urgency: 1, title: 'Rye?', agent_id: 'agent_a', since: 2 }]);
    expect(store.agents.value[0]?.needs_you).toBe(true);
    store.apply(event(3, { name: 'decision_resolved', decision_id: 'dec_a', choice: 'Yes' }));
    expect(store.needs.value).toEqual([]);
    expect(store.agents.value[0]?.needs_you).toBeUndefined();
  });

  test('a finished task that is sent back is open again, and so is its project', () => {
    const artifact = { artifact_id: 'art_a', task_id: 'task_a', project_id: 'proj_a', type: 'patch', title: 'Bread', status: 'approved', version: 1 } as const;
    const store = folded([snap(1, { tasks: [{ ...task, status: 'done' }], projects: [{ ...project, status: 'completed' }], artifacts: [artifact] })]);
    store.apply(event(2, { name: 'review_changes_requested', artifact_id: 'art_a', task_id: 'task_a', project_id: 'proj_a', by: 'pull_request' }));
    expect([store.artifacts.value[0]?.status, store.tasks.value[0]?.status, store.projects.value[0]?.status]).toEqual(['changes_requested', 'review', 'executing']);
  });

  test('archiving a project removes its rows', () => {
    const store = folded([snap(1, { tasks: [task], projects: [project] }), event(2, { name: 'project_archived', project_id: 'proj_a' })]);
    expect(store.tasks.value).toEqual([]);
  });

  test('unknown names and ids appear in the feed and change nothing else', () => {
    const store = folded([snap(1, { tasks: [task] }), event(2, { name: 'cake_eaten', task_id: 'task_x' }), event(3, { name: 'task_done', task_id: 'task_x' })]);
    expect(store.feed.value.map((row) => [row.name, row.known, row.replay])).toEqual([['cake_eaten', false, false], ['task_done', true, false]]);
    expect(store.tasks.value).toEqual([task]);
  });
});
