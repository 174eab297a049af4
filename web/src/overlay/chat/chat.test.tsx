import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatRow } from '../../world/store.ts';
import { agent, bench, draw } from '../testing.tsx';
import { stepOf } from './action.ts';
import { Chat } from './chat.tsx';
import { unread } from './threads.ts';

afterEach(cleanup);

const row = (seq: number, more: Partial<ChatRow> = {}): ChatRow => ({ id: `m${seq}`, seq, ts: seq, thread_id: 'bd_main', from: 'agent_bd', to: 'user', text: `Said ${seq}`, replay: false, ...more });

describe('suggested actions', () => {
  it.each([
    [{ action: 'auto_assign', label: 'x', project_id: 'proj_a' }, { kind: 'command', name: 'auto_assign', data: { project_id: 'proj_a' } }],
    [{ action: 'open_task_board', label: 'x', project_id: 'proj_a' }, { kind: 'board', projectId: 'proj_a' }],
    [{ action: 'open_artifact', label: 'x', artifact_id: 'art_a' }, { kind: 'artifact', id: 'art_a' }],
    [{ action: 'clarify', label: 'x' }, { kind: 'write' }],
    [{ action: 'clarify', label: 'x', decision_id: 'dec_a' }, { kind: 'decision', id: 'dec_a' }],
    [{ action: 'cancel_task', label: 'harmless', project_id: 'proj_a' }, { kind: 'unknown' }],
    [{ action: 'kill_agent', label: 'harmless' }, { kind: 'unknown' }],
    [{ action: 'whatever_comes', label: 'x' }, { kind: 'unknown' }],
  ])('%o', (action, step) => {
    expect(stepOf(action)).toEqual(step);
  });
});

describe('chat', () => {
  it('sends a suggestion as a command, and clarify focuses the field', async () => {
    const office = bench({ agents: [agent('agent_bd')] });
    office.store.chats.value = [row(1, { rehearsal: true, suggested_actions: [{ action: 'auto_assign', label: 'Auto-assign', project_id: 'proj_a' }, { action: 'clarify', label: 'Ask back' }] })];
    draw(office, <Chat />);
    expect(screen.getByText('Rehearsal')).toBeTruthy();
    fireEvent.click(screen.getByText('Auto-assign'));
    await waitFor(() => expect(office.sent).toEqual([['auto_assign', { project_id: 'proj_a' }]]));
    fireEvent.click(screen.getByText('Ask back'));
    expect(document.activeElement).toBe(screen.getByRole('textbox'));
  });

  it('sends a message to the open thread', async () => {
    const office = bench({ agents: [agent('agent_bram')] });
    office.shell.thread.value = 'agent:agent_bram';
    const view = draw(office, <Chat />);
    fireEvent.input(screen.getByRole('textbox'), { target: { value: 'Hello' } });
    fireEvent.submit(view.container.querySelector('form')!);
    await waitFor(() => expect(office.said).toEqual([['agent:agent_bram', 'Hello']]));
  });

  it('shows hostile text as text', () => {
    const office = bench();
    office.store.chats.value = [row(1, { text: '<img src=x onerror=alert(1)>\u202Eevil' })];
    const view = draw(office, <Chat />);
    expect(view.container.querySelector('img')).toBeNull();
    expect(view.container.querySelector('bdi[dir="auto"]')).toBeTruthy();
  });

  it('counts unread messages, without history and the user’s own messages', () => {
    const rows = [row(1, { replay: true }), row(2), row(3, { from: 'user' }), row(4)];
    expect(unread(rows, new Map())).toBe(2);
    expect(unread(rows, new Map([['bd_main', 2]]))).toBe(1);
  });
});
