import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decision } from '../../contracts/protocol.gen.ts';
import { handleKey } from '../keys.ts';
import { agent, bench, decision, draw, undoOver, type Bench } from '../testing.tsx';
import { leftWords } from './countdown.tsx';
import { Inbox } from './inbox.tsx';
import { watchWithdrawn } from './withdrawn.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The server's time in these tests; it does not advance. */
const NOW = 1_000_000;

const asked = (more: Partial<Decision> = {}): Decision => {
  const { project_id: _, ...rest } = decision({
    decision_id: 'dec_p', kind: 'permission', prompt: 'May it run a command?', options: ['Allow once', 'Always allow', 'Deny'], asked_by: 'agent_claude',
    permission: { tool: 'exec', label: '⚡ npm publish', args: { command: 'npm publish --otp=[redacted]', timeout: 30 }, place: '~/shop', grants: 'Bash(npm publish:*)' },
    ...more,
  });
  return rest;
};

function desk(more: Partial<Decision> = {}, permit = true, armed: string | null = 'dec_p'): Bench {
  const office = bench({ agents: [agent('agent_claude', { source: 'claude' })], decisions: [asked(more)] }, () => NOW);
  office.store.permit.value = permit;
  office.shell.armed.value = armed; // the card has been visible for a while
  draw(office, <Inbox />);
  return office;
}
beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));

const button = (name: string) => screen.getByRole('button', { name }) as HTMLButtonElement;
const press = (office: Bench, key: string) => {
  const e = new KeyboardEvent('keydown', { key });
  Object.defineProperty(e, 'target', { value: document.querySelector('.need') });
  return handleKey(office, e);
};

describe('a permission', () => {
  it('shows tool, arguments, folder, remaining time and what “Always allow” covers; redacted secrets are marked', () => {
    const office = desk({ expires_at: 0 });
    office.store.decisions.value = [asked({ expires_at: NOW + 95_500 })];
    const text = () => document.querySelector('.need')!.textContent;
    return waitFor(() => {
      for (const words of ['exec', 'npm publish', '~/shop', '1:36 left', 'timeout', 'Bash(npm publish:*)']) expect(text()).toContain(words);
      expect(document.querySelector('mark.redacted')?.textContent).toBe('redacted');
    });
  });

  it('is shown once; long content shows its size, and truncated content is marked', () => {
    const command = Array.from({ length: 200 }, (_, i) => `step ${i}`).join('\n');
    const permission = { tool: 'exec', label: '⚡ step 0 step 1 …', args: { command } };
    const office = desk({ permission });
    expect(screen.getByText('200 lines: scroll to read them all.')).toBeTruthy();
    expect(screen.queryByText(/step 0 step 1 …/)).toBeNull();
    office.store.decisions.value = [asked({ options: ['Deny'], permission: { ...permission, args: { command, truncated: true, bytes: 40_960 } } })];
    return waitFor(() => {
      expect(screen.getByText('Only the beginning is shown (40 kB in total). The call can be allowed only where the agent runs.')).toBeTruthy();
      expect(screen.queryByText('truncated')).toBeNull();
    });
  });

  it('shows all of an argument that is too long for a tree', () => {
    desk({ permission: { tool: 'exec', label: 'ls', args: { command: 'ls', env: { PATH: `${'x'.repeat(5000)}hidden` } } } });
    expect(document.querySelector('.need')!.textContent).toContain('hidden');
  });

  it('of an edit is a diff', () => {
    desk({ permission: { tool: 'edit', label: 'cart.ts', args: { path: '/shop/cart.ts', old_string: 'a = 1', new_string: 'a = 2', replace_all: true, operation: 'edit', dry: true } } });
    expect([...document.querySelectorAll('.diff-text')].map((el) => el.textContent)).toEqual(['a = 1', 'a = 2']);
    expect([...document.querySelectorAll('.args dt')].map((el) => el.textContent)).toEqual(['dry']);
    expect(button('Allow once').disabled).toBe(false);
  });

  it('that is not displayed completely can be allowed, by button or key, only after it has been opened at full size', async () => {
    const office = desk({ permission: { tool: 'exec', label: 'x', args: { command: 'rm x\n'.repeat(3000) } } });
    office.shell.need.value = 'dec_p';
    for (const name of ['Allow once', 'Always allow']) expect(button(name).disabled).toBe(true);
    expect(button('Deny').disabled).toBe(false);
    press(office, 'y');
    expect(office.sent).toEqual([]);
    expect(office.shell.toasts.value[0]?.text).toMatch(/full size/);
    fireEvent.click(screen.getByText('Open it at full size'));
    await waitFor(() => expect(button('Allow once').disabled).toBe(false));
    press(office, 'y');
    undoOver();
    expect(office.sent).toHaveLength(1);
  });

  it('of a tool without its own view is complete at full size', async () => {
    desk({ permission: { tool: 'mcp__shop__order', label: 'order', args: { text: `${'x'.repeat(5000)}hidden`, list: Array.from({ length: 150 }, (_, i) => `item ${i}`) } } });
    expect(button('Allow once').disabled).toBe(true);
    fireEvent.click(screen.getByText('Open it at full size'));
    await waitFor(() => expect(button('Allow once').disabled).toBe(false));
    const shown = document.querySelector('dialog.work-full')!.textContent;
    for (const words of ['hidden', 'item 149']) expect(shown).toContain(words);
  });

  it.each(['Allow once', 'Always allow', 'Deny'])('is answered with %s', async (choice) => {
    const office = desk();
    fireEvent.click(button(choice));
    undoOver();
    await waitFor(() => expect(office.sent).toEqual([['resolve_decision', { decision_id: 'dec_p', choice, expected_decision_status: 'open' }]]));
  });

  it('without operator access accepts no answer, by button or key, and shows how to get access', () => {
    const office = desk({}, false);
    for (const name of ['Allow once', 'Always allow', 'Deny']) expect(button(name).disabled).toBe(true);
    expect(screen.getByRole('note').textContent).toContain('bullpen open');
    office.shell.need.value = 'dec_p';
    expect(press(office, 'y')).toBe(true);
    undoOver();
    expect(office.sent).toEqual([]);
    expect(office.shell.toasts.value[0]?.text).toMatch(/operator access/);
  });

  it('by key is allowed once or denied, never permanently, and only on the selected card', () => {
    const office = desk();
    expect(press(office, 'y')).toBe(false);
    office.shell.need.value = 'dec_p';
    expect(press(office, 'n')).toBe(true);
    expect(office.shell.answerQueue.undo()).toBe(true);
    office.shell.armed.value = 'dec_p';
    expect(press(office, 'n')).toBe(true);
    undoOver();
    office.store.decisions.value = [asked({ decision_id: 'dec_q' })];
    office.shell.need.value = office.shell.armed.value = 'dec_q';
    office.shell.markRead('dec_q');
    expect(press(office, 'Y')).toBe(true);
    undoOver();
    expect(office.sent.map(([, data]) => (data as { choice: string }).choice)).toEqual(['Deny', 'Allow once']);
  });

  it('that just appeared ignores input meant for another card', () => {
    vi.useFakeTimers();
    const office = desk({}, true, null);
    office.shell.need.value = 'dec_p';
    vi.advanceTimersByTime(200);
    expect(button('Allow once').disabled).toBe(true);
    expect(press(office, 'y')).toBe(false);
    expect(office.shell.answerQueue.given.value).toEqual([]);
    vi.advanceTimersByTime(400);
    expect(press(office, 'y')).toBe(true);
  });

  it('accepts no answer before its first frame is drawn, however old it is', () => {
    vi.useFakeTimers();
    vi.stubGlobal('requestAnimationFrame', () => 1); // the page hangs
    const office = desk({}, true, null);
    office.shell.need.value = 'dec_p';
    vi.advanceTimersByTime(5000);
    expect(press(office, 'y')).toBe(false);
    expect(office.sent).toEqual([]);
  });

  it('that expired accepts no answer', () => {
    desk({ expires_at: 5 });
    expect(button('Allow once').disabled).toBe(true);
    expect(screen.getByText('Time is up')).toBeTruthy();
  });

  it('that was answered elsewhere says so, and disappears', async () => {
    const office = desk();
    const stop = watchWithdrawn(office);
    office.store.decisions.value = [asked({ status: 'cancelled', reason: 'Answered in the terminal.' })];
    await waitFor(() => expect(screen.getByText('Answered in the terminal.')).toBeTruthy());
    expect(document.querySelector('.need')).toBeNull();
    expect(office.shell.toasts.value).toEqual([]);
    office.shell.clock.value = Date.now() + 60_000;
    await waitFor(() => expect(screen.queryByText('Answered in the terminal.')).toBeNull());
    office.shell.panel.value = 'chat';
    office.store.decisions.value = [asked({ decision_id: 'dec_q' })];
    office.store.decisions.value = [asked({ decision_id: 'dec_q', status: 'cancelled' })];
    expect(office.shell.toasts.value[0]?.text).toContain('It was withdrawn.');
    stop();
  });
});

it('a question from a script has no face, accepts free text and shows its time', async () => {
  const { asked_by: _, project_id: __, ...rest } = decision({ kind: 'ask', options: [], allow_free_text: true, prompt: 'Which colour?' });
  const office = bench({ decisions: [{ ...rest, expires_at: Date.now() * 2 }] });
  draw(office, <Inbox />);
  expect(screen.getByText('A script')).toBeTruthy();
  fireEvent.input(screen.getByLabelText('Your own answer'), { target: { value: 'Blue' } });
  fireEvent.submit(document.querySelector('form.answer')!);
  undoOver();
  await waitFor(() => expect(office.sent[0]?.[1]).toMatchObject({ choice: 'Blue' }));
});

it('remaining time is short', () => {
  expect([0, 9, 95, 4000].map(leftWords)).toEqual(['Time is up', '0:09 left', '1:35 left', '1 h 6 min left']);
});
