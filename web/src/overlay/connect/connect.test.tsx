import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bench, draw } from '../testing.tsx';
import type { Report } from './report.ts';
import { ConnectSheet } from './sheet.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const report = (permit: boolean, state: 'found' | 'connected' = 'found'): Report => ({
  crew: 'rehearsal',
  permit,
  items: [
    { id: 'claude_crew', group: 'desks', name: 'Claude Code at the desks', state: 'found', saw: 'Claude Code 2.1.197 is at ~/bin/claude.', does: 'Stop this office.', command: 'bullpen serve --crew claude' },
    {
      id: 'claude', group: 'guests', name: 'Claude Code in your terminals', state, saw: 'Claude Code 2.1.197, without hooks.', does: 'Sessions appear.', command: 'bullpen hooks install claude',
      ...(state === 'found' && { plan: { path: '~/.claude/settings.json', lines: ['Adds 13 hooks: Stop.', 'Nothing else in the file changes.'] } }),
    },
  ],
});

/** Fakes a server that returns the answers in order and then repeats the last one. Returns the list of requests. */
function office(...answers: (Report | { code: string; message: string })[]) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
    asked.push(`${init?.method ?? 'GET'} ${path}`);
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    return Promise.resolve(new Response(JSON.stringify(answer), { status: 'code' in answer ? 409 : 200 }));
  });
  return asked;
}

const row = (name: string) => within(screen.getByRole('listitem', { name }));

describe('connect sheet', () => {
  it('shows what was found and copies the command', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    office(report(false));
    draw(bench(), <ConnectSheet />);
    await waitFor(() => expect(screen.getByText('Put real agents at the desks')).toBeTruthy());
    expect(screen.getByText(/This is a rehearsal/)).toBeTruthy();
    const crew = row('Claude Code at the desks');
    expect([crew.getByText('Found'), crew.getByText('bullpen serve --crew claude')]).toHaveLength(2);
    fireEvent.click(crew.getByLabelText(/Copy the command/));
    await waitFor(() => expect(writeText).toHaveBeenCalledWith('bullpen serve --crew claude'));
    expect(screen.queryByText('Let the office do it…')).toBeNull(); // not permitted
  });

  it('changes a file only after a preview, in a browser that is permitted to', async () => {
    const asked = office(report(true), report(true, 'connected'));
    const shown = bench();
    draw(shown, <ConnectSheet />);
    await waitFor(() => expect(screen.getByText('Let the office do it…')).toBeTruthy());
    expect(row('Claude Code at the desks').queryByText('Let the office do it…')).toBeNull();
    fireEvent.click(screen.getByText('Let the office do it…'));
    await waitFor(() => expect(screen.getByText('~/.claude/settings.json')).toBeTruthy());
    expect(screen.getByText('Adds 13 hooks: Stop.')).toBeTruthy();
    expect(asked).toEqual(['GET /v1/connect']);
    fireEvent.click(screen.getByText('Change the file'));
    await waitFor(() => expect(screen.getByText('Connected')).toBeTruthy());
    expect(asked).toEqual(['GET /v1/connect', 'POST /v1/connect/claude']);
    expect(screen.queryByText('Let the office do it…')).toBeNull();
    expect(shown.shell.toasts.value.at(-1)?.text).toBe('Claude Code in your terminals: connected.');
  });

  it('shows the machines that joined the office, with their health', async () => {
    const shown = bench();
    const at = shown.store.now() - 5 * 60_000;
    office({
      ...report(false),
      outposts: [
        { name: 'laptop', state: 'connected', since: at, last_seen: shown.store.now(), version: '1.2.0', agents: 2 },
        { name: 'tower', state: 'silent', since: at, last_seen: at, version: '1.1.0', agents: 1, problem: 'no report for 40 s; its agents go offline after 2 min' },
        { name: 'attic', state: 'gone', agents: 1, problem: 'not connected; start `bullpen join` on its machine' },
      ],
    });
    draw(shown, <ConnectSheet />);
    await waitFor(() => expect(screen.getByText('Other machines')).toBeTruthy());
    expect(row('laptop').getByText('Connected')).toBeTruthy();
    expect(row('laptop').getByText('2 agents · Bullpen 1.2.0 · connected 5 min ago')).toBeTruthy();
    expect(row('tower').getByText('No report')).toBeTruthy();
    expect(row('tower').getByText('1 agent · Bullpen 1.1.0 · last report 5 min ago')).toBeTruthy();
    expect(row('tower').getByText(/its agents go offline after 2 min/)).toBeTruthy();
    expect(row('attic').getByText('Gone')).toBeTruthy();
    expect(row('attic').getByText('1 agent')).toBeTruthy();
  });

  it("shows the office's error, and checks again", async () => {
    const asked = office(report(true), { code: 'CONFLICT', message: 'settings.json line 3: a comma is missing' }, report(true));
    draw(bench(), <ConnectSheet />);
    await waitFor(() => fireEvent.click(screen.getByText('Let the office do it…')));
    await waitFor(() => fireEvent.click(screen.getByText('Change the file')));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('a comma is missing'));
    fireEvent.click(screen.getByText('Check again'));
    await waitFor(() => expect(asked.at(-1)).toBe('GET /v1/connect'));
  });

  it('shows why the machine cannot be checked', async () => {
    office({ code: 'NOT_ALLOWED', message: 'the role viewer may not do this' });
    draw(bench(), <ConnectSheet />);
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('may not do this'));
  });
});
