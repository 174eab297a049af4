import { describe, expect, test } from 'vitest';
import { LINE_COMPACTING } from '../contracts/limits.gen.ts';
import type { HudNode } from '../hud/tree.ts';
import { deskFacts, fullness } from './desk_facts.ts';
import { deskWords } from './desk_words.ts';
import type { AgentView } from './rows.ts';

let made = 0;
const node = (more: Partial<HudNode>): HudNode => ({ id: `n${++made}`, type: 'tool', state: 'done', label: 'call', startedAt: made, children: [], replay: false, agent_id: 'agent_a', ...more });
const call = (more: Partial<HudNode>): HudNode => node({ tool: 'exec', endedAt: ++made, ...more });
const turn = (state: HudNode['state'], ...children: HudNode[]): HudNode => node({ type: 'turn', state, children });
const agent = (more: Partial<AgentView> = {}): AgentView => ({ agent_id: 'agent_a', state: 'WorkingAtPOI', pos: [0, 0, 0], ...more });
const facts = (roots: HudNode[], a = agent()) => deskFacts([a], roots).get('agent_a');

describe('the facts of a desk', () => {
  test('are absent if nothing is recorded', () => {
    expect(facts([])).toBeUndefined();
    expect(facts([turn('done', call({}))])).toBeUndefined();
    expect(facts([turn('running', call({ agent_id: 'agent_b', state: 'error' }))], agent({ agent_id: 'agent_b' }))).toBeUndefined();
  });

  test('have the call in progress', () => {
    expect(facts([turn('running', call({}), call({ state: 'running', endedAt: undefined, label: '⚡ make test' }))])).toEqual({ line: '⚡ make test' });
    expect(facts([turn('running', call({ state: 'running', label: 'old' })), turn('running')])).toBeUndefined();
  });

  test('have the failure of the newest call only', () => {
    const good = call({}), bad = call({ state: 'error', label: '⚡ make test' });
    expect(facts([turn('running', good, bad)])).toEqual({ failed: '⚡ make test' });
    expect(facts([turn('running', bad, call({}))])).toBeUndefined();
    expect(facts([turn('done', bad), turn('running', call({}))])).toBeUndefined();
    expect(facts([turn('done', bad), turn('running')])).toEqual({ failed: '⚡ make test' });
  });

  test('have the newest to-do list, in either format, without invalid entries', () => {
    const claude = call({ tool: 'TodoWrite', args: { todos: [{ content: 'Read', status: 'completed' }, { content: 'Write', status: 'in_progress' }, null, { content: 7 }] } });
    const codex = call({ tool: 'update_plan', args: { plan: [{ step: 'Ship', status: 'pending' }] } });
    expect(facts([turn('done', claude)])?.todos).toEqual([{ text: 'Read', done: true, active: false }, { text: 'Write', done: false, active: true }]);
    expect(facts([turn('done', claude), turn('done', codex)])?.todos).toEqual([{ text: 'Ship', done: false, active: false }]);
    for (const todos of ['x', [], [{}], null]) expect(facts([turn('done', call({ args: { todos } }))])).toBeUndefined();
  });

  test('have the length of the conversation and whether it is being summarized', () => {
    expect(facts([], agent({ context: 82_000, status_line: LINE_COMPACTING }))).toEqual({ context: 82_000, compacting: true });
  });

  test('estimate how full the window of a known model is', () => {
    expect(facts([], agent({ context: 50_000, model: 'claude-opus-4-1' })))
      .toEqual({ context: 50_000, contextFill: 0.25 });
    expect(facts([], agent({ context: 50_000, model: 'llama-4' }))).toEqual({ context: 50_000 });
    expect([fullness('claude-opus-4-1', 200_000), fullness('claude-opus-4-1', 500_000), fullness('claude-opus-4-1', 2_000_000), fullness(undefined, 1)]).toEqual([1, 0.5, undefined, undefined]);
  });

  test('are described in words', () => {
    expect(deskWords({})).toEqual([]);
    expect(deskWords({ failed: '⚡ make', todos: [{ text: 'a', done: true, active: false }, { text: 'b', done: false, active: true }], context: 82_000 }))
      .toEqual(['Last call failed: ⚡ make', 'To-do: 1 of 2 done, now: b', 'Conversation: 82k tokens']);
    expect(deskWords({ context: 82_000, contextFill: 0.41 })).toEqual(['Conversation: 82k tokens, ~41% of its limit']);
  });
});
