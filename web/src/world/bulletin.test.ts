import { describe, expect, test } from 'vitest';
import type { Ui, UiMessage } from '../contracts/protocol.gen.ts';
import { plain } from './plain.ts';
import { Store } from './store.ts';

const rows = { scene_id: 'cozy_office_v0', agents: [], projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [] };

function office() {
  let local = 1000;
  const store = new Store(() => local);
  const snapshot = (seq: number, agents: { agent_id: string }[] = []) =>
    store.apply({ type: 'snapshot', id: `snap_${seq}_${local}`, ts: local, v: 1, payload: { ...rows, seq, agents } } as never);
  const ui = (kind: string, seq: number, normalized: object, more: Partial<Ui> = {}) =>
    store.apply({ type: 'ui', id: `ui_${seq}`, ts: local, v: 1, payload: { seq, name: `abstract.${kind}`, kind, normalized, raw: {}, ...more } } as UiMessage);
  const wait = (ms: number) => ((local += ms), snapshot(0));
  snapshot(1);
  return { store, ui, snapshot, wait, texts: () => store.status.value.map((row) => row.text) };
}

describe('status', () => {
  test('is kept per agent and run; the newest seq wins and an empty text clears it', () => {
    const { store, ui, texts } = office();
    ui('status', 3, { text: 'Indexing' }, { agent_id: 'agent_a', run_id: 'r1' });
    ui('status', 4, { text: 'Reading' }, { agent_id: 'agent_a', run_id: 'r2' });
    ui('status', 2, { text: 'Too late' }, { agent_id: 'agent_a', run_id: 'r1' });
    expect(texts()).toEqual(['Indexing', 'Reading']);
    ui('status', 9, { kind: 'status', clear: true }, { agent_id: 'agent_a', run_id: 'r1' });
    ui('status', 8, { text: 'Older than the end' }, { agent_id: 'agent_a', run_id: 'r1' });
    expect(texts()).toEqual(['Reading']);
    store.reset();
    expect(texts()).toEqual([]);
  });

  test('expires at its time or after its duration; a duration of zero or less never expires', () => {
    const { ui, wait, texts } = office();
    ui('status', 2, { text: 'a', duration: 2, expires_at: 3000 }, { run_id: 'a' });
    ui('status', 3, { text: 'b', duration: 1 }, { run_id: 'b' });
    ui('status', 4, { text: 'c', duration: -1 }, { run_id: 'c' });
    expect(texts()).toEqual(['a', 'b', 'c']);
    wait(1500);
    expect(texts()).toEqual(['a', 'c']);
    wait(1000);
    expect(texts()).toEqual(['c']);
  });

  test('is not shown if it has expired, is history or was ignored', () => {
    const { ui, texts } = office();
    ui('status', 1, { text: 'old', expires_at: 500 });
    ui('status', 2, { text: 'x' }, { ignored: 'no text' });
    ui('status', 3, { text: 7 });
    expect(texts()).toEqual([]);
  });
});

describe('messages', () => {
  test('are kept once each, at most 200, with level, title and whether they are history', () => {
    const { store, ui } = office();
    ui('message', 1, { text: 'Before', level: 'info' });
    ui('message', 2, { text: 'Now', level: 'error', title: 'Build', meta: { a: 1 } }, { agent_id: 'agent_a' });
    ui('message', 2, { text: 'Now', level: 'error' });
    ui('message', 3, { text: 'Odd', level: 'constructor' });
    ui('message', 4, { text: 'Nothing' }, { ignored: 'because' });
    ui('message', 5, { text: '  ' });
    expect(store.notices.value).toMatchObject([
      { text: 'Before', level: 'info', replay: true },
      { text: 'Now', level: 'error', title: 'Build', meta: { a: 1 }, agent_id: 'agent_a', replay: false },
      { text: 'Odd', level: 'info' },
    ]);
    for (let seq = 10; seq < 230; seq++) ui('message', seq, { text: `m${seq}`, level: 'info' });
    expect(store.notices.value.length).toBe(200);
    expect(store.notices.value.at(-1)?.text).toBe('m229');
  });
});

test('a snapshot drops the streams of agents that left', () => {
  const { store, snapshot } = office();
  const say = (agent_id: string) =>
    store.apply({ type: 'agent_stream', id: `s_${agent_id}`, ts: 1, v: 1, payload: { stream_id: `s_${agent_id}`, agent_id, kind: 'token', seq: 1, delta: 'a\u202Eb', done: false } });
  say('agent_a');
  say('agent_b');
  snapshot(5, [{ agent_id: 'agent_b' }]);
  expect([...store.streams.value.keys()]).toEqual(['agent_b']);
  expect(store.streams.value.get('agent_b')?.text).toBe('a⟨RLO⟩b');
});

test('plain text shows bidi control characters and leaves the rest', () => {
  expect(plain('a\u202Eb\u2066c\u200Fd')).toBe('a⟨RLO⟩b⟨LRI⟩c⟨RLM⟩d');
  expect(plain('שלום 👩‍💻 é')).toBe('שלום 👩‍💻 é');
});
