import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decision } from '../../contracts/protocol.gen.ts';
import { agent, bench, decision, draw, undoOver } from '../testing.tsx';
import { Inbox } from './inbox.tsx';

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const asked = (more: Partial<Decision> = {}): Decision =>
  decision({
    kind: 'ask', prompt: 'Which features?', header: 'Features · 2 of 2', options: ['Auth', 'Export'], descriptions: ['Sign in', 'CSV, PDF'],
    asked_by: 'agent_claude', allow_free_text: true, permission: { tool: 'AskUserQuestion', place: '~/shop' }, ...more,
  });

function desk(more: Partial<Decision> = {}, permit = true) {
  const office = bench({ agents: [agent('agent_claude', { source: 'claude' })], decisions: [asked(more)] });
  office.store.permit.value = permit;
  return { office, view: draw(office, <Inbox />) };
}

describe('a question from a tool', () => {
  it('shows what each option means, and one click answers', async () => {
    const { office, view } = desk();
    for (const words of ['Features · 2 of 2', 'Sign in', 'CSV, PDF', '~/shop']) expect(view.container.textContent).toContain(words);
    fireEvent.click(screen.getByText('Export'));
    undoOver();
    await waitFor(() => expect(office.sent[0]).toEqual(['resolve_decision', { decision_id: 'dec_a', choice: 'Export', expected_decision_status: 'open' }]));
  });

  it('accepts several options with free text, if it says so', async () => {
    const { office, view } = desk({ multiple: true });
    const send = screen.getByText('Answer') as HTMLButtonElement;
    expect(send.disabled).toBe(true);
    for (const option of ['Export', 'Auth', 'Export', 'Export']) fireEvent.click(screen.getByText(option));
    await waitFor(() => expect(screen.getByText('Export').closest('button')?.getAttribute('aria-pressed')).toBe('true'));
    expect(office.sent).toHaveLength(0);
    fireEvent.input(screen.getByLabelText('Your own answer'), { target: { value: 'Dark mode ' } });
    fireEvent.submit(view.container.querySelector('form.answer')!);
    undoOver();
    await waitFor(() => expect(office.sent[0]?.[1]).toMatchObject({ choice: 'Auth', choices: ['Auth', 'Export', 'Dark mode'] }));
  });

  it('cannot be answered without operator access', () => {
    desk({}, false);
    expect(screen.getByText('Auth').closest('button')?.disabled).toBe(true);
    expect(screen.getByText(/Answering an agent’s question requires operator access/)).toBeTruthy();
  });
});
