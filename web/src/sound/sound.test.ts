import { describe, expect, test, vi } from 'vitest';
import type { Snapshot } from '../contracts/protocol.gen.ts';
import type { ServerMessage } from '../world/rows.ts';
import { Settings } from '../world/settings.ts';
import { Store } from '../world/store.ts';
import { pan, type Cue } from './cue.ts';
import { startNotify, type Notifier } from './notify.ts';
import { startSound } from './sound.ts';
import { notes } from './synth.ts';

const rows: Snapshot = {
  scene_id: 'room',
  agents: [{ agent_id: 'agent_a', name: 'Ada', state: 'WorkingAtPOI', pos: [3, 0, 0] }],
  projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [],
};
const snapshot = (seq: number): ServerMessage => ({ type: 'snapshot', id: `s${seq}`, ts: 1, v: 1, payload: { ...rows, seq } });
const event = (seq: number, payload: object): ServerMessage =>
  ({ type: 'event', id: `e${seq}`, ts: 1, v: 1, payload: { seq, ...payload } }) as ServerMessage;
const decision = (id: string) => ({ decision_id: id, project_id: 'proj_a', status: 'open', prompt: 'Rye?', options: [], asked_by: 'agent_a' });

function studio() {
  let time = 0;
  const store = new Store(() => time);
  const settings = new Settings(null, '');
  const played: [Cue, number][] = [];
  const player = { play: (cue: Cue, side: number) => void played.push([cue, side]), wake: vi.fn(), close: vi.fn() };
  const make = vi.fn(() => player);
  const stop = startSound(store, settings, make);
  return { store, settings, played, player, make, stop, pass: (ms: number) => (time += ms) };
}

describe('sound', () => {
  test('is off until switched on, and stops when switched off', () => {
    const { store, settings, played, player, make, stop } = studio();
    store.applyAll([snapshot(1), event(2, { name: 'task_done' })]);
    expect(make).not.toHaveBeenCalled();
    settings.sound.value = true;
    store.apply(event(3, { name: 'task_done', agent_id: 'agent_a' }));
    expect(played).toEqual([['tick', 0]]);
    settings.sound.value = false;
    expect(player.close).toHaveBeenCalledOnce();
    store.apply(event(4, { name: 'task_done' }));
    expect(played.length).toBe(1);
    stop();
  });

  test('plays nothing for history, and each cue once per burst', () => {
    const { store, settings, played } = studio();
    settings.sound.value = true;
    store.applyAll([event(2, { name: 'task_done' }), snapshot(2)]);
    store.apply(event(1, { name: 'task_done' }));
    expect(played).toEqual([]);
    store.applyAll([3, 4, 5].map((seq) => event(seq, { name: 'artifact_delivered' })));
    store.apply(event(6, { name: 'decision_requested', decision: decision('dec_a') }));
    store.apply(event(7, { name: 'project_completed' }));
    expect(played.map(([cue]) => cue)).toEqual(['box', 'needs', 'fanfare']);
  });

  test('keys click while an agent writes, at typing speed', () => {
    const { store, settings, played, pass } = studio();
    settings.sound.value = true;
    for (let seq = 1; seq <= 100; seq++) {
      store.apply({ type: 'agent_stream', id: `d${seq}`, ts: 1, v: 1, payload: { stream_id: 's', agent_id: 'agent_a', kind: 'token', seq, delta: 'x', done: false } });
      pass(10);
    }
    expect(played.length).toBeGreaterThan(5);
    expect(played.length).toBeLessThanOrEqual(12);
  });

  test('is quiet, and pans within limits', () => {
    expect(Math.max(...Object.values(notes).flat().map((note) => note.gain))).toBeLessThanOrEqual(1);
    expect([pan(-99, 10), pan(0, 10), pan(2.5, 10), pan(Number.NaN, 10), pan(1, 0)]).toEqual([-0.7, 0, 0.35, 0, 0]);
  });
});

describe('notifications', () => {
  function notifier() {
    const state = { hidden: true, allowed: true, shown: [] as string[], closed: [] as string[], click: () => {} };
    const fake: Notifier = {
      hidden: () => state.hidden,
      allowed: () => state.allowed,
      show: (title, _body, tag, onClick) => {
        state.shown.push(`${tag}: ${title}`);
        state.click = onClick;
        return () => state.closed.push(tag);
      },
    };
    return { state, fake };
  }

  test('are shown once for new needs while the page is hidden, and closed when the needs end', () => {
    const { state, fake } = notifier();
    const store = new Store(() => 0);
    const settings = new Settings(null, '');
    settings.notify.value = true;
    const open = vi.fn();
    startNotify(store, settings, open, fake);
    store.apply({ ...snapshot(1), payload: { ...rows, seq: 1, decisions: [decision('dec_old')] } } as ServerMessage);
    expect(state.shown).toEqual([]);
    store.apply(event(2, { name: 'decision_requested', decision: decision('dec_a') }));
    store.apply(event(3, { name: 'task_progress' }));
    expect(state.shown).toEqual(['dec_a: Ada needs your answer']);
    state.click();
    expect(open).toHaveBeenCalledWith(expect.objectContaining({ ref: 'dec_a' }));
    store.apply(event(4, { name: 'decision_resolved', decision_id: 'dec_a' }));
    expect(state.closed).toEqual(['dec_a']);
  });

  test('are not shown while the page is visible, while they are switched off, or without permission', () => {
    const { state, fake } = notifier();
    const store = new Store(() => 0);
    const settings = new Settings(null, '');
    startNotify(store, settings, () => {}, fake);
    store.apply(snapshot(1));
    store.apply(event(2, { name: 'decision_requested', decision: decision('dec_a') }));
    settings.notify.value = true;
    state.allowed = false;
    store.apply(event(3, { name: 'decision_requested', decision: decision('dec_b') }));
    state.allowed = true;
    state.hidden = false;
    store.apply(event(4, { name: 'decision_requested', decision: decision('dec_c') }));
    expect(state.shown).toEqual([]);
  });
});
