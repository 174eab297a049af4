import { cleanup, fireEvent, screen } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import type { HudNode } from '../../hud/tree.ts';
import { bench, draw } from '../testing.tsx';
import { Tree } from './tree.tsx';

afterEach(cleanup);

const node = (id: string, more: Partial<HudNode> = {}): HudNode => ({ id, type: 'tool', state: 'done', label: `👁 file ${id}`, startedAt: 0, durationMs: 210, children: [], replay: false, ...more });

it('shows the last fifty, newest first, with history collapsed', () => {
  const nodes = Array.from({ length: 60 }, (_, i) => node(String(i), { replay: i < 20 }));
  const view = draw(bench(), <Tree nodes={nodes} />);
  expect(view.container.querySelectorAll('.node')).toHaveLength(50);
  expect(view.container.querySelector('.node-label')?.textContent).toBe('file 59');
  expect(screen.getByText('Earlier · 10').closest('details')?.open).toBe(false);
  expect(screen.getAllByText('210 ms').length).toBeGreaterThan(0);
});

it('counts nodes inside turns', () => {
  const turns = Array.from({ length: 10 }, (_, i) => node(`turn${i}`, { type: 'turn', children: Array.from({ length: 9 }, (__, c) => node(`${i}.${c}`)) }));
  const view = draw(bench(), <Tree nodes={turns} />);
  expect(view.container.querySelectorAll('.tree > ul > .node')).toHaveLength(5);
});

it('expands to arguments and result of any shape', () => {
  const args = JSON.parse('{"path":"<b>x</b>","deep":{"list":[1,null,true]},"__proto__":1}') as Record<string, unknown>;
  const view = draw(bench(), <Tree nodes={[node('a', { args, result: { ok: false }, state: 'error' })]} />);
  expect(screen.getByText('failed', { selector: '.tag' })).toBeTruthy();
  fireEvent.click(view.container.querySelector('.node-row')!);
  expect(view.container.querySelector('b')).toBeNull();
  expect(view.container.textContent).toContain('<b>x</b>');
});

it("ends a turn with the agent's answer, in full when opened", () => {
  const turn = node('t', { type: 'turn', label: 'Fix the login', said: 'All tests pass.\nThe cookie had the wrong path.' });
  const view = draw(bench(), <Tree nodes={[turn]} />);
  const said = () => view.container.querySelector('.node-said .words');
  expect(said()?.textContent).toContain('The cookie had the wrong path.');
  expect(said()?.classList.contains('two-lines')).toBe(true);
  fireEvent.click(view.container.querySelector('.node-row')!);
  expect(said()?.classList.contains('two-lines')).toBe(false);
});
