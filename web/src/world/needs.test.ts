import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { groupNeeds, needs, type NeedRows } from './needs.ts';

interface Case {
  name: string;
  rows: Partial<NeedRows>;
  /** The refs of the needs on each card. */
  want: string[][];
}

// model/needs_test.go runs the same file against the terminal.
const cases = JSON.parse(readFileSync('../contracts/vectors/needs.json', 'utf8')) as Case[];

it.each(cases)('$name', ({ rows, want }) => {
  const list = needs({ agents: [], projects: [], tasks: [], artifacts: [], decisions: [], ...rows });
  expect(groupNeeds(list).map((group) => group.map((need) => need.ref))).toEqual(want);
});

it('needs whose numbers were rounded by JSON.parse are never grouped', () => {
  const ask = (id: string) => ({
    decision_id: id,
    kind: 'permission' as const,
    status: 'open' as const,
    prompt: 'May it?',
    options: ['Allow once', 'Deny'],
    permission: { tool: 'transfer', args: JSON.parse('{"account":9007199254740993}') as Record<string, unknown>, place: '~' },
  });
  const list = needs({ agents: [], projects: [], tasks: [], artifacts: [], decisions: [ask('dec_1'), ask('dec_2')] });
  expect(groupNeeds(list)).toHaveLength(2);
});
