import { describe, expect, test } from 'vitest';
import type { Agent, StreamDelta, Task } from '../contracts/protocol.gen.ts';
import { board } from './board.ts';
import { ServerClock } from './clock.ts';
import { along, position } from './position.ts';
import { Settings } from './settings.ts';
import { OrderedLog } from './ordered_log.ts';
import { Store } from './store.ts';
import { foldDelta } from './stream.ts';
import { eventWords, roleWords, stateWords } from './words.ts';

describe('the server clock', () => {
  let local = 0;
  const at = (time: number) => ((local = time), undefined);

  test('follows the message with the smallest delay and never runs backwards', () => {
    const clock = new ServerClock(() => local);
    at(1000);
    clock.observe(5000 - 300); // 300 ms of delay
    const before = clock.now();
    at(1100);
    clock.observe(5100 - 20);
    expect(clock.now()).toBe(5080);
    at(1110);
    clock.observe(5110 - 900);
    expect(clock.now()).toBe(5090);
    expect(before).toBeLessThan(clock.now());
  });

  test('drops its best estimate after a while to follow drift, and pauses instead of going back', () => {
    const clock = new ServerClock(() => local);
    at(0);
    clock.observe(1000);
    let last = clock.now();
    for (let t = 0; t < 90_000; t += 500) {
      at(t);
      clock.observe(t + 1000 - t / 100);
      expect(clock.now()).toBeGreaterThanOrEqual(last);
      last = clock.now();
    }
    expect(Math.abs(last - (90_000 + 1000 - 900))).toBeLessThan(700);
  });

  test('follows a clock that was set back, but not a single late message', () => {
    const clock = new ServerClock(() => local);
    at(1000);
    clock.observe(100_000);
    clock.observe(90_000);
    expect(clock.now()).toBe(100_000);
    for (let i = 0; i < 4; i++) clock.observe(90_000);
    expect(clock.now()).toBe(90_000);
  });
});

describe('position (by the rules of package world/scene)', () => {
  const path = [[0, 0, 0], [3, 0, 0], [3, 0, 4]] as [number, number, number][];
  const ada: Agent = { agent_id: 'agent_a', state: 'WalkingToPOI', pos: [9, 0, 9], facing: [1, 0, 0] };
  const motion = { seq: 1, path, speed_mps: 1, started_at: 1000, facing: [0, 0, -1] as [number, number, number], goal: { kind: 'go_home' as const } };

  test('is a function of path, speed and time', () => {
    expect(along(path, 5)).toEqual({ pos: [3, 0, 2], heading: [0, 0, 1], arrived: false });
    expect(along(path, Number.NaN).pos).toEqual([0, 0, 0]);
    expect(along([], 1).arrived).toBe(true);
    expect(position({ ...ada, motion }, 500)).toEqual({ pos: [0, 0, 0], heading: [1, 0, 0], moving: true });
    expect(position({ ...ada, motion }, 3000)).toEqual({ pos: [2, 0, 0], heading: [1, 0, 0], moving: true });
    expect(position({ ...ada, motion }, 99_000)).toEqual({ pos: [3, 0, 4], heading: [0, 0, -1], moving: false });
  });

  test('without a motion comes from the row', () => {
    expect(position(ada, 0)).toEqual({ pos: [9, 0, 9], heading: [1, 0, 0], moving: false });
  });
});

describe('a stream', () => {
  const delta = (seq: number, text: string, more: Partial<StreamDelta> = {}): StreamDelta =>
    ({ stream_id: 's1', agent_id: 'agent_a', kind: 'token', seq, delta: text, done: false, ...more });

  test('grows, ignores duplicates and accepts a catch-up', () => {
    let view = foldDelta(undefined, delta(1, 'Hel'), 1);
    view = foldDelta(view, delta(2, 'lo'), 2);
    expect(foldDelta(view, delta(2, 'lo'), 3)).toBe(view);
    expect(view?.text).toBe('Hello');
    expect(foldDelta(view, delta(9, 'Hello all', { catch_up: true }), 3)).toMatchObject({ text: 'Hello all', seq: 9 });
    expect(foldDelta(view, delta(1, 'Next', { stream_id: 's2' }), 4)?.text).toBe('Next');
  });

  test('keeps only its tail, in whole characters', () => {
    const text = foldDelta(undefined, delta(1, '🥖'.repeat(5000)), 1)!.text;
    expect(text.length).toBeLessThanOrEqual(4000);
    expect([...text].every((c) => c === '🥖')).toBe(true);
  });
});

test('an ordered log is sorted and bounded, and holds each line once', () => {
  const shelf = new OrderedLog<{ id: string; seq: number }>(3);
  for (const seq of [5, 3, 4, 4, 9, 1]) shelf.add({ id: `l${seq}`, seq });
  expect(shelf.all().map((line) => line.seq)).toEqual([4, 5, 9]);
  expect(shelf.all()).toBe(shelf.all());
});

test('a board has columns in order, sorted by priority and age', () => {
  const task = (id: string, more: Partial<Task>): Task => ({ task_id: id, project_id: 'proj_a', title: id, status: 'planned', ...more });
  const columns = board([task('b', { created_at: 2 }), task('a', { created_at: 1 }), task('p', { priority: 3 }), task('x', { status: 'cancelled' })]);
  expect(columns[0]?.tasks.map((t) => t.task_id)).toEqual(['p', 'a', 'b']);
  expect(columns.flatMap((c) => c.tasks).length).toBe(3);
});

test('known values have words, unknown ones are made readable', () => {
  expect(stateWords('WorkingAtPOI')).toBe('Working');
  expect(stateWords('JugglingKnives')).toBe('Juggling knives');
  expect(eventWords('cake_eaten')).toBe('Cake eaten');
  expect(roleWords(undefined)).toBe('Crew member');
  expect(eventWords('constructor')).toBe('Constructor');
});

test('settings are stored, invalid values are ignored, and the URL wins', () => {
  const kept = new Map([['bullpen.theme', 'night'], ['bullpen.labels', 'shouting'], ['bullpen.quality', 'high']]);
  const drawer = () => ({ getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
  const settings = new Settings(drawer, '?quality=low');
  expect([settings.theme.value, settings.labels.value, settings.quality.value, settings.sound.value]).toEqual(['night', 'auto', 'low', false]);
  settings.sound.value = true;
  expect(new Settings(drawer, '').sound.value).toBe(true);
  expect(kept.get('bullpen.quality')).toBe('high');
  const shut = () => {
    throw new Error('storage is shut');
  };
  expect(() => (new Settings(shut, '').sound.value = true)).not.toThrow();
});

test('a reset clears everything that came from messages', () => {
  const store = new Store(() => 0);
  store.apply({ type: 'event', id: 'e', ts: 1, v: 1, payload: { seq: 3, name: 'office_created', agents: [{ agent_id: 'agent_a' }] } });
  expect(store.agents.value.length).toBe(1);
  store.reset();
  expect([store.agents.value, store.feed.value, store.seq.value]).toEqual([[], [], 0]);
});
