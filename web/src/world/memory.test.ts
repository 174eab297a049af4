// @vitest-environment node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Store, type ServerMessage } from './store.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const lines = readFileSync(join(import.meta.dirname, 'testdata', 'first_minute.jsonl'), 'utf8').trim().split('\n');
const minute = lines.map((line) => JSON.parse(line) as ServerMessage);
const span = Math.max(...minute.map((m) => ('seq' in m.payload && m.type !== 'agent_stream' ? Number(m.payload.seq) : 0)));

/** Returns the recorded messages with new ids and times, as the n-th minute of a long day. */
function again(n: number): ServerMessage[] {
  return minute.map((recorded) => {
    const m = structuredClone(recorded);
    const p = m.payload as Record<string, unknown>;
    m.id = `${m.id}_${n}`;
    m.ts += n * 60_000;
    if (m.type === 'agent_stream') p.stream_id = `${String(p.stream_id)}_${n}`;
    else if (typeof p.seq === 'number') p.seq += n * span;
    if (typeof p.correlationId === 'string') p.correlationId += `_${n}`;
    if (typeof p.parentId === 'string') p.parentId += `_${n}`;
    return m;
  });
}

function heapAfter(store: Store, from: number, to: number): number {
  for (let n = from; n < to; n++) for (const m of again(n)) store.apply(m);
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

// A store that kept every message of these minutes would grow by about ten megabytes.
test('memory stays flat over a long replayed session', () => {
  const store = new Store(() => 0);
  const before = heapAfter(store, 0, 15);
  const after = heapAfter(store, 15, 45);
  expect(store.seq.value).toBeGreaterThan(44 * span);
  expect((after - before) / 1e6, 'megabytes grown').toBeLessThan(3);
}, 120_000);
