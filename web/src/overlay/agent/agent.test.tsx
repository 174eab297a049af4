import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, bench, draw, task } from '../testing.tsx';
import { AgentPanel } from './agent_panel.tsx';
import { controlReason } from './runner.ts';

afterEach(cleanup);

const busy = agent('agent_bram', { runner: 'rehearsal', role: 'researcher', state: 'WorkingAtPOI', task_id: 'task_a', why: 'You assigned it.' });

describe('agent panel', () => {
  const off = () => ['Stop', 'Kill', 'New session', 'Switch', 'Hand over'].filter((label) => (screen.getByText(label).closest('button') as HTMLButtonElement).disabled);

  it('shows what an agent is doing and why, and controls crew members', async () => {
    const office = bench({ agents: [busy, agent('agent_cleo'), agent('agent_guest', { source: 'claude' })], tasks: [task('task_a', { status: 'in_progress', percent: 30 })] });
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    for (const words of ['Researcher', 'Rehearsal', 'You assigned it.', '30%']) expect(screen.getAllByText(words).length).toBeGreaterThan(0);
    expect(off()).toEqual(['New session', 'Switch', 'Hand over']);
    expect(screen.getByText(/stop it first/)).toBeTruthy();
    fireEvent.click(screen.getByText('Stop'));
    fireEvent.click(screen.getByText('Kill'));
    await waitFor(() => expect(office.sent.map(([name]) => name)).toEqual(['stop_agent', 'kill_agent']));
  });

  it('hands work and conversation over to a selected crew member', async () => {
    const office = bench({ agents: [busy, agent('agent_cleo'), agent('agent_guest', { source: 'claude' })], tasks: [task('task_a', { status: 'in_progress' })] });
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    const pick = screen.getByLabelText('Switch or hand over to') as HTMLSelectElement;
    expect([...pick.options].map((o) => o.value)).toEqual(['', 'agent_cleo']);
    fireEvent.change(pick, { target: { value: 'agent_cleo' } });
    expect(off()).toEqual(['New session']);
    fireEvent.click(screen.getByText('Switch'));
    fireEvent.click(screen.getByText('Hand over'));
    const target = { agent_id: 'agent_bram', to_agent_id: 'agent_cleo' };
    await waitFor(() => expect(office.sent).toEqual([['switch_agent', target], ['handover', target]]));
    office.store.agents.value = [busy]; // the selected agent has left
    await waitFor(() => expect(off()).toEqual(['New session', 'Switch', 'Hand over']));
  });

  it("disables a control that the office refuses, with the office's reason", async () => {
    const office = bench({ agents: [{ ...busy, runner: 'claude' }] });
    office.answer = { ok: false, code: 'NOT_ALLOWED', message: 'This runner cannot do that.' };
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    fireEvent.click(screen.getByText('New session'));
    await waitFor(() => expect((screen.getByText('New session').closest('button') as HTMLButtonElement).disabled).toBe(true));
    expect(screen.getByText('This runner cannot do that.')).toBeTruthy();
  });

  it('says whether its edits were checked', () => {
    const at = (time: string): number => new Date(`2026-11-18T${time}`).getTime();
    const edit = { kind: 'edit', at: at('14:02'), what: 'a.go' } as const;
    const check = { kind: 'check', at: at('13:59'), since: at('13:58'), what: 'go test ./...', outcome: 'passed' } as const;
    const checked = { state: 'stale', done_at: at('14:05'), edit, check } as const;
    draw(bench({ agents: [{ ...busy, checked }] }, () => at('14:06')), <AgentPanel id="agent_bram" onClose={() => {}} />);
    expect(screen.getByText('Reported done at 14:05; last edit 14:02; `go test ./...` last ran at 13:58: stale.')).toBeTruthy();
  });

  it('follows the agent with the camera', () => {
    const office = bench({ agents: [busy] });
    draw(office, <AgentPanel id="agent_bram" onClose={() => {}} />);
    fireEvent.click(screen.getByText('Follow'));
    expect(office.focus.follow.value).toBe('agent_bram');
  });

  it('says why a control is disabled', () => {
    const idle = agent('agent_a');
    expect([controlReason(idle, 'stop_agent'), controlReason(idle, 'kill_agent')]).toEqual(Array(2).fill('Nothing is running.'));
    expect(controlReason(idle, 'handover')).toMatch(/no task/);
    expect([controlReason(idle, 'new_session'), controlReason(idle, 'switch_agent')]).toEqual([null, null]);
    expect(controlReason({ ...idle, state: 'WorkingAtPOI' }, 'stop_agent')).toBeNull(); // the agent is answering someone
    const running = { status: 'in_progress' } as const;
    expect(controlReason(busy, 'new_session', running)).toMatch(/stop it first/);
    expect([controlReason(busy, 'stop_agent', running), controlReason(busy, 'handover', running)]).toEqual([null, null]);
    expect(controlReason(busy, 'stop_agent', { status: 'blocked' })).toMatch(/Nothing is running/);
  });
});
