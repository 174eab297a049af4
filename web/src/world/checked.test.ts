import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Checked, CheckOutcome, EditsState, Impact, ImpactKind } from '../contracts/protocol.gen.ts';
import { checkedWords } from './checked.ts';

interface Call {
  since?: string;
  at: string;
  what?: string;
  outcome?: CheckOutcome;
  exit_code?: number;
}

interface Case {
  name: string;
  /** Local times, without a time zone. */
  now: string;
  checked: { state: EditsState; done?: string; edit: string; check?: Call; command?: Call };
  want: string;
}

// model/checked_test.go runs the same file against the terminal.
const cases = JSON.parse(readFileSync('../contracts/vectors/checked.json', 'utf8')) as Case[];

const ms = (local: string): number => new Date(local).getTime();

function impact(kind: ImpactKind, { since, at, ...rest }: Call): Impact {
  return { kind, at: ms(at), ...(since && { since: ms(since) }), ...rest };
}

it.each(cases)('$name', ({ now, checked: { state, done, edit, check, command }, want }) => {
  const of: Checked = {
    state,
    ...(done && { done_at: ms(done) }),
    edit: { kind: 'edit', at: ms(edit) },
    ...(check && { check: impact('check', check) }),
    ...(command && { command: impact('command', command) }),
  };
  expect(checkedWords(of, new Date(now))).toBe(want);
});
