import { describe, expect, test } from 'vitest';
import type { Hud } from '../contracts/protocol.gen.ts';
import recorded from '../world/testdata/first_minute.jsonl?raw';
import { duration, label } from './label.ts';
import { addFact } from './pairing.ts';
import { count, recent, type HudNode } from './tree.ts';

let made = 0;
function feed(...facts: (Hud & { id?: string; ts?: number })[]): readonly HudNode[] {
  return facts.reduce<readonly HudNode[]>((roots, { id = `f${++made}`, ts = made * 10, ...hud }) => addFact(roots, { id, ts, hud }), []);
}

const turn: Hud = { event: 'turn_start', correlationId: 't1', agent_id: 'agent_a' };
const read: Hud = { event: 'tool_start', correlationId: 'call_1', parentId: 't1', tool: 'read', args: { path: 'a.md' }, agent_id: 'agent_a' };
const readEnd: Hud = { ...read, event: 'tool_end', args: undefined, result: { ok: true }, durationMs: 210 };

describe('pairing (H3)', () => {
  test('tools and thoughts are nested in their turn and end by correlationId', () => {
    const think: Hud = { event: 'think_start', correlationId: 'k1', parentId: 't1', agent_id: 'agent_a' };
    const [root] = feed(turn, think, read, readEnd, { ...think, event: 'think_end' }, { ...turn, event: 'turn_end', durationMs: 4500 });
    expect(root).toMatchObject({ type: 'turn', state: 'done', durationMs: 4500 });
    expect(root?.children.map((n) => [n.type, n.state])).toEqual([['think', 'done'], ['tool', 'done']]);
    expect(root?.children[1]).toMatchObject({ args: { path: 'a.md' }, result: { ok: true }, durationMs: 210 });
  });

  test('an end without a known correlationId closes the oldest running node of the same tool', () => {
    const one = { ...read, correlationId: 'call_1' };
    const two = { ...read, correlationId: 'call_2' };
    const exec = { ...read, tool: 'exec', correlationId: 'call_0' };
    const roots = feed(turn, exec, one, two, { ...readEnd, correlationId: undefined }, { ...readEnd, correlationId: 'call_unknown' });
    expect(roots[0]?.children.map((n) => n.state)).toEqual(['running', 'done', 'done']);
  });

  test('a duplicate fact changes nothing', () => {
    const facts = [{ ...turn, id: 'a' }, { ...read, id: 'b' }, { ...read, correlationId: 'call_2', id: 'c' }];
    const roots = feed(...facts, { ...readEnd, id: 'd' });
    expect(addFact(roots, { id: 'd', ts: 9, hud: readEnd })).toBe(roots);
    expect(addFact(roots, { id: 'b', ts: 9, hud: read })).toBe(roots);
    const loose = { ...readEnd, correlationId: undefined };
    const ended = addFact(roots, { id: 'e', ts: 9, hud: loose });
    expect(addFact(ended, { id: 'e', ts: 9, hud: loose })).toBe(ended);
  });

  test('an end never closes a node of another agent; an unmatched end without an id is ignored', () => {
    const roots = feed(turn, read);
    expect(addFact(roots, { id: 'x', ts: 1, hud: { ...readEnd, agent_id: 'agent_b' } })[1]?.children[0]?.state).toBe('running');
    expect(feed({ ...readEnd, correlationId: undefined })).toEqual([]);
  });

  test('an end that arrives before its start is kept, and nodes are ordered by time', () => {
    const [late, early] = [{ ...readEnd, id: 'e', ts: 900 }, { ...read, id: 's', ts: 700 }];
    const roots = feed({ ...turn, correlationId: 't2', ts: 800 }, late, { ...turn, ts: 600 }, early, early);
    expect(roots.map((n) => n.correlationId)).toEqual(['t1', 'call_1', 't2']);
    expect(roots[1]).toMatchObject({ id: 's', state: 'done', startedAt: 700, durationMs: 210, args: { path: 'a.md' }, result: { ok: true } });
  });

  test('a failed result is an error; a missing duration is measured', () => {
    const [root] = feed({ ...turn, ts: 100 }, { ...turn, event: 'turn_end', result: { ok: false }, ts: 350 });
    expect(root).toMatchObject({ state: 'error', durationMs: 250 });
  });

  test('a tool call without a turn goes to the root; a received message is done immediately', () => {
    const roots = feed(read, { event: 'received', subtype: 'stop', label: 'stop received', payload: { state: 'RUNNING' } });
    expect(roots.map((n) => [n.type, n.state])).toEqual([['tool', 'running'], ['received', 'done']]);
  });

  test('the number of nodes per agent is limited', () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ ...turn, correlationId: `t${i}` }));
    const roots = feed({ ...turn, agent_id: 'agent_b' }, ...many);
    expect(roots.length).toBe(101);
    expect(roots[0]?.agent_id).toBe('agent_b');
  });

  test('the recorded first minute leaves nothing running', () => {
    const messages = recorded.trim().split('\n').map((line) => JSON.parse(line) as { type: string; id: string; ts: number; payload: Hud });
    const facts = messages.filter((m) => m.type === 'hud');
    const roots = feed(...facts.map((m) => ({ ...m.payload, id: m.id, ts: m.ts })));
    expect(roots.length).toBeGreaterThan(3);
    const running = (nodes: readonly HudNode[]): HudNode[] => nodes.flatMap((n) => [...(n.state === 'running' ? [n] : []), ...running(n.children)]);
    expect(running(roots)).toEqual([]);
  });
});

describe('recent', () => {
  const old = Array.from({ length: 40 }, (_, i) => ({ ...turn, correlationId: `o${i}`, replay: true })).flatMap((t) => [t, { ...t, event: 'turn_end' as const }]);
  const fresh = Array.from({ length: 30 }, (_, i) => ({ ...turn, correlationId: `n${i}` }));

  test('shows the last fifty nodes, with history separate', () => {
    const view = recent(feed(...old, ...fresh));
    expect([view.replay.length, view.live.length, view.hidden]).toEqual([20, 30, 20]);
  });

  test('a running node is not history, however long ago it started', () => {
    const view = recent(feed(...old, { ...turn, replay: true }));
    expect(view.live.map((n) => n.state)).toEqual(['running']);
  });

  test('a long turn keeps its newest children', () => {
    const calls = Array.from({ length: 70 }, (_, i) => ({ ...read, correlationId: `c${i}` }));
    const view = recent(feed(turn, ...calls), 10);
    expect(count(view.live)).toBe(10);
    expect(view.live[0]?.children.at(-1)?.correlationId).toBe('c69');
  });
});

describe('labels', () => {
  test.each<[Partial<Hud>, string]>([
    [{ tool: 'read', args: { path: 'a.md', offset: 10, limit: 40 } }, '👁 a.md:L10–L50'],
    [{ tool: 'write', args: { path: 'a.md' } }, '✏️ a.md (overwrite)'],
    [{ tool: 'edit', args: { path: 'a.md' }, result: { area: { startLine: 22, endLine: 28 } } }, '✏️ a.md:L22–L28'],
    [{ tool: 'exec', args: { command: 'make' } }, '⚡ make'],
    [{ tool: 'web_search', args: { query: 'rye' } }, '🔍 rye'],
    [{ tool: 'canvas', args: { action: 'draw' } }, 'canvas draw'],
    [{ tool: 'teleport' }, 'teleport'],
    [{ label: 'As told', tool: 'read' }, 'As told'],
  ])('%j', (hud, words) => expect(label({ event: 'tool_start', ...hud })).toBe(words));

  test('durations are short', () => {
    expect([210, 4500, 59_960, 125_000, 7_500_000].map(duration)).toEqual(['210 ms', '4.5 s', '1 m 00 s', '2 m 05 s', '2 h 05 m']);
  });
});
