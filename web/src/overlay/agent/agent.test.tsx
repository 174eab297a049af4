import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, bench, draw, task } from '../testing.tsx';
import { AgentPanel } from './agent_panel.tsx';
import { controlReason } from './runner.ts';

afterEach(cleanup);

const busy = agent('agent_bram', { runner: 'rehearsal', role: 'researcher', state: 'WorkingAtPOI', task_id: 'task_a', why: 'You assigned it.' });

describe('agent panel', () => {
  it('says what, why, and lets the rehearsal crew be stopped and killed only', async () => {
    const office = bench({ agents: [busy], tasks: [task('task_a', { status: 'in_progress', percent: 30 })] });
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    for (const words of ['Researcher', 'Rehearsal', 'You assigned it.', '30 %']) expect(screen.getAllByText(words).length).toBeGreaterThan(0);
    const off = ['Stop', 'Kill', 'New', 'Switch', 'Hand over'].filter((label) => (screen.getByText(label).closest('button') as HTMLButtonElement).disabled);
    expect(off).toEqual(['New', 'Switch', 'Hand over']);
    expect(screen.getByText(/keeps one session/)).toBeTruthy();
    fireEvent.click(screen.getByText('Stop'));
    await waitFor(() => expect(office.sent).toEqual([['stop_agent', { agent_id: 'agent_bram' }]]));
  });

  it('disables a control that the office forbids, with its words', async () => {
    const office = bench({ agents: [{ ...busy, runner: 'claude' }] });
    office.answer = { ok: false, code: 'NOT_ALLOWED', message: 'This runner cannot do that.' };
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    fireEvent.click(screen.getByText('New'));
    await waitFor(() => expect((screen.getByText('New').closest('button') as HTMLButtonElement).disabled).toBe(true));
    expect(screen.getByText('This runner cannot do that.')).toBeTruthy();
  });

  it('follows with the camera', () => {
    const office = bench({ agents: [busy] });
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    fireEvent.click(screen.getByText('Follow'));
    expect(office.focus.follow.value).toBe('agent_bram');
  });

  it('knows why nothing can be stopped', () => {
    expect(controlReason(agent('agent_a'), 'stop_agent')).toMatch(/Nothing runs/);
    expect(controlReason(busy, 'stop_agent')).toBeNull();
  });
});
