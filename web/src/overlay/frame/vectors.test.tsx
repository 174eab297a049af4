import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup } from '@testing-library/preact';
import { expect, test } from 'vitest';
import type { UiMessage } from '../../contracts/protocol.gen.ts';
import { agent, bench, decision, draw } from '../testing.tsx';
import { Notices } from './notice.tsx';
import { StatusLines } from './status_line.tsx';

// Compares the text shown for the conformance vectors of workflow events (U1) with a file.
// tui/vectors_test.go tests the terminal with the same file; UPDATE_WORDS=1 rewrites it.
const root = join(process.cwd(), '..');
const file = join(root, 'tui', 'testdata', 'ui_words.jsonl');

interface Vector { id: string; recommended: Record<string, unknown>[] | null }
interface Shown { id: string; item: Record<string, unknown>; status?: string; far?: string; head?: string; text?: string }

function vectors(): Vector[] {
  const lines = ['vectors', 'own'].flatMap((name) => readFileSync(join(root, 'hud', 'ui', 'testdata', `${name}.jsonl`), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as Vector);
}

function shown(id: string, item: Record<string, unknown>): Shown {
  const ts = 1_000_000;
  const office = bench({}, () => ts); // a fixed clock, so that no status expires
  const ask = item['kind'] === 'ask' ? { decision_id: 'dec_a' } : {};
  const rows = { scene_id: 's', agents: [agent('agent_ada', { name: 'Ada' })], projects: [], tasks: [], artifacts: [], decisions: [decision()], office_decor: [] };
  office.store.apply({ type: 'snapshot', id: 'snap_1', ts, v: 1, payload: { ...rows, seq: 1 } } as never);
  office.store.apply({ type: 'ui', id: 'ui_2', ts, v: 1, payload: { seq: 2, agent_id: 'agent_ada', name: `abstract.${String(item['kind'])}`, kind: item['kind'], normalized: item, raw: {}, ...ask } } as UiMessage);
  const { container } = draw(office, [<StatusLines key="s" />, <Notices key="n" />]);
  const said = (where: string) => container.querySelector(where)?.textContent;
  const found: [string, string | null | undefined][] = [
    ['status', said('.status-line .words')],
    ['far', said('.status-line .node-span')],
    ['head', said('.notice .strong')],
    ['text', said('.notice p:not(.strong)')],
  ];
  cleanup();
  return { id, item, ...Object.fromEntries(found.filter(([, words]) => words)) };
}

test('every vector shows the same words in all clients', () => {
  const lines = vectors().flatMap((v) => (v.recommended ?? []).map((item) => JSON.stringify(shown(v.id, item))));
  if (process.env['UPDATE_WORDS']) writeFileSync(file, `${lines.join('\n')}\n`);
  expect(lines).toEqual(readFileSync(file, 'utf8').trim().split('\n'));
});
