import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freezeReason } from '../freeze.ts';
import { agent, bench, draw } from '../testing.tsx';
import { Settings } from '../../world/settings.ts';
import { Banner } from './banner.tsx';
import { Chip } from './chip.tsx';
import { linkWords } from './link_words.ts';
import { RequestBar } from './request_bar.tsx';
import { Root } from './root.tsx';
import { Toasts } from './toasts.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('connection', () => {
  it.each([
    [{ phase: 'live', attempt: 0, retryAt: null }, 'Live', undefined],
    [{ phase: 'connecting', attempt: 0, retryAt: null }, 'Connecting…', undefined],
    [{ phase: 'stale', attempt: 3, retryAt: 5000 }, 'Reconnecting…', 'attempt 3, next try in 4 s'],
    [{ phase: 'stale', attempt: 3, retryAt: null }, 'Reconnecting…', 'attempt 3, trying now'],
    [{ phase: 'offline', attempt: 1, retryAt: 2000 }, 'Offline', 'attempt 1, next try in 1 s'],
    [{ phase: 'refused', attempt: 0, retryAt: null, reason: 'Too old.' }, 'Refused', undefined],
  ] as const)('%o reads %s', (link, word, more) => {
    expect(linkWords(link, 1000)).toMatchObject(more ? { word, more } : { word });
  });

  it('shows the version message of a refusal', () => {
    const office = bench();
    office.link.value = { phase: 'refused', attempt: 0, retryAt: null, reason: 'This page speaks 1, the office 2.' };
    draw(office, <Banner />);
    expect(screen.getByText('This page speaks 1, the office 2.')).toBeTruthy();
    expect(screen.getByText('Reload')).toBeTruthy();
  });

  it('disables commands for everyone but a connected operator', () => {
    const live = { phase: 'live', attempt: 0, retryAt: null } as const;
    expect(freezeReason(live, 'operator')).toBeNull();
    expect(freezeReason(live, 'viewer')).toMatch(/^View only/);
    expect(freezeReason({ ...live, phase: 'stale' }, 'operator')).toMatch(/Not connected/);
  });

  it('counts agents in the chip', () => {
    draw(bench({ agents: [agent('agent_a')] }), <Chip />);
    expect(screen.getByText(/1 crew member · 0 projects/)).toBeTruthy();
  });
});

describe('request bar', () => {
  const write = (text: string) => fireEvent.input(screen.getByLabelText('Ask the office for anything'), { target: { value: text } });

  it('sends on Enter, not on Shift+Enter', async () => {
    const office = bench();
    draw(office, <RequestBar />);
    write('  A plan  ');
    const box = screen.getByLabelText('Ask the office for anything');
    fireEvent.keyDown(box, { key: 'Enter', shiftKey: true });
    expect(office.sent).toEqual([]);
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(office.sent).toEqual([['submit_request', { text: 'A plan', auto_assign: true }]]));
    await waitFor(() => expect((screen.getByLabelText('Ask the office for anything') as HTMLTextAreaElement).value).toBe(''));
  });

  it('sends the selected constraints', async () => {
    const office = bench();
    const view = draw(office, <RequestBar />);
    fireEvent.click(screen.getByLabelText('Constraints'));
    fireEvent.click(screen.getByText('Short'));
    write('A plan');
    fireEvent.submit(view.container.querySelector('form')!);
    await waitFor(() => expect(office.sent[0]?.[1]).toEqual({ text: 'A plan', constraints: { length: 'Short' }, auto_assign: true }));
  });

  it('starts work automatically, unless the user wants to see the plan first; the choice is stored', async () => {
    const kept = new Map<string, string>();
    const drawer = () => ({ getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
    const office = { ...bench(), settings: new Settings(drawer, '') };
    const view = draw(office, <RequestBar />);
    fireEvent.click(screen.getByLabelText('Start work automatically'));
    await waitFor(() => expect(screen.getByLabelText('Start work automatically').getAttribute('aria-pressed')).toBe('false'));
    write('A plan');
    fireEvent.submit(view.container.querySelector('form')!);
    await waitFor(() => expect(office.sent).toEqual([['submit_request', { text: 'A plan' }]]));
    expect(new Settings(drawer, '').planFirst.value).toBe(true);
  });

  it('keeps the text and shows why it was refused', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }); // so that the countdown stands still
    const office = bench();
    office.answer = { ok: false, code: 'RATE_LIMITED', message: 'Six requests a minute.', retry_after_ms: 9000 };
    const view = draw(office, <RequestBar />);
    write('A plan');
    fireEvent.submit(view.container.querySelector('form')!);
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/Six requests a minute\. Try again in 9 s/));
    expect((screen.getByLabelText('Ask the office for anything') as HTMLTextAreaElement).value).toBe('A plan');
    expect((screen.getByText('Send') as HTMLButtonElement).closest('button')!.disabled).toBe(true);
  });

  it('counts characters near the limit and refuses more', async () => {
    const office = bench();
    const view = draw(office, <RequestBar />);
    write('😀'.repeat(1999));
    await waitFor(() => expect(screen.getByText('1999 / 2000')).toBeTruthy());
    write('😀'.repeat(2001));
    fireEvent.submit(view.container.querySelector('form')!);
    await waitFor(() => expect(screen.getByText('2001 / 2000').className).toContain('over'));
    expect(office.sent).toEqual([]);
  });

  it('keeps the text and the focus when the layout changes', async () => {
    const office = bench();
    draw(office, <Root />);
    const box = () => screen.getByLabelText('Ask the office for anything') as HTMLTextAreaElement;
    const first = box();
    first.focus();
    write('A plan');
    office.listOnly.value = true;
    await waitFor(() => expect(box()).not.toBe(first));
    expect(box().value).toBe('A plan');
    await waitFor(() => expect(document.activeElement).toBe(box()));
  });

  it('is disabled while disconnected', () => {
    const office = bench();
    office.link.value = { phase: 'offline', attempt: 1, retryAt: null };
    draw(office, <RequestBar />);
    expect((screen.getByLabelText('Ask the office for anything') as HTMLTextAreaElement).readOnly).toBe(true);
  });

  it('keeps the focus when the connection drops, so that letters never become commands', async () => {
    const office = bench();
    const view = draw(office, <RequestBar />);
    const box = screen.getByLabelText('Ask the office for anything') as HTMLTextAreaElement;
    box.focus();
    write('A plan');
    office.link.value = { phase: 'stale', attempt: 1, retryAt: null };
    await waitFor(() => expect(box.readOnly).toBe(true));
    expect([document.activeElement, box.disabled]).toEqual([box, false]);
    fireEvent.submit(view.container.querySelector('form')!);
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(office.sent).toEqual([]);
    expect(box.value).toBe('A plan');
  });
});

it('shows at most three toasts', async () => {
  const office = bench();
  draw(office, <Toasts />);
  for (const n of [1, 2, 3, 4]) office.shell.toast(`News ${n}`);
  await waitFor(() => expect(screen.getByRole('status').children).toHaveLength(3));
  expect(screen.queryByText('News 1')).toBeNull();
});
