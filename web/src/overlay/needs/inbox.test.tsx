import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_UNDO_MS } from '../../contracts/limits.gen.ts';
import { agent, artifact, bench, decision, draw, project, task, undoOver } from '../testing.tsx';
import { ArtifactDialog } from '../artifact/artifact_dialog.tsx';
import { answerNeed, nextNeed } from './answer.ts';
import { watchAnswerQueue } from './answer_queue.ts';
import { Inbox } from './inbox.tsx';
import { decidePermissions, answerCommand } from './permission.ts';
import { UndoCards } from './undo.tsx';

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('inbox', () => {
  it('shows a friendly message when nothing is waiting', () => {
    const office = bench();
    const view = draw(office, <Inbox />);
    expect(screen.getByText(/Nothing needs you/)).toBeTruthy();
    expect(view.container.textContent).not.toContain('bullpen ');
    fireEvent.click(screen.getByText('Connect'));
    expect(office.shell.dialog.value).toEqual({ kind: 'connect' });
  });

  it('names the project of a need if there are several', async () => {
    const two = [project({ project_id: 'proj_a', title: 'Fix the login bug' }), project({ project_id: 'proj_b', title: 'Plan the offsite' })];
    const office = bench({ agents: [agent('agent_bram')], projects: two, tasks: [task('task_a', { assignee: 'agent_bram', status: 'blocked' })], decisions: [decision({ project_id: 'proj_a', task_id: 'task_a' })], artifacts: [artifact({ project_id: 'proj_b' })] });
    const view = draw(office, <Inbox />);
    expect(view.container.querySelector('.need')!.textContent).toContain('Fix the login bug');
    expect(view.container.querySelector('.need-row')!.textContent).toContain('Plan the offsite');
    office.store.projects.value = two.slice(0, 1);
    await waitFor(() => expect(view.container.querySelector('.need')!.textContent).not.toContain('Fix the login bug'));
  });

  it('answers a question in place, with the note', async () => {
    const office = bench({ agents: [agent('agent_bram')], decisions: [decision()] });
    draw(office, <Inbox />);
    fireEvent.click(screen.getByText('Add a note'));
    fireEvent.input(screen.getByLabelText('Note with your answer'), { target: { value: ' soon please ' } });
    fireEvent.click(screen.getByText('No, few'));
    undoOver();
    await waitFor(() => expect(office.sent).toHaveLength(1));
    expect(office.sent[0]).toEqual(['resolve_decision', { decision_id: 'dec_a', choice: 'No, few', note: 'soon please', expected_decision_status: 'open' }]);
  });

  it('lists a session that ended unchecked, even after its agent has left, until it is dismissed', async () => {
    const at = (time: string): number => new Date(`2026-11-18T${time}`).getTime();
    const checked = { state: 'unchecked', done_at: at('14:05'), edit: { kind: 'edit', at: at('14:02') } } as const;
    const session = { agent: { agent_id: 'agent_ada', name: 'Ada', role: 'guest', source: 'claude', place: '~/shop' } as const, checked };
    const entry = decision({ kind: 'unchecked', prompt: 'The session ended, but no check of its edits was seen.', options: ['Dismiss'], asked_by: 'agent_ada', session });
    const office = bench({ decisions: [entry, decision({ decision_id: 'dec_b' })] }, () => at('14:06'));
    const view = draw(office, <Inbox />);
    expect(view.container.querySelector('.need')!.textContent).toContain('Who is it for?');
    const row = view.container.querySelector('.need-row')!;
    expect(row.textContent).toContain('Ada');
    expect(row.textContent).toContain('no check of its edits was seen');
    fireEvent.click(row);
    await waitFor(() => screen.getByText('Reported done at 14:05; last edit 14:02; no check was seen: unchecked.'));
    expect(view.container.querySelector('.need')!.textContent).toContain('Adaended unchecked');
    fireEvent.click(screen.getByText('Dismiss'));
    undoOver();
    await waitFor(() => expect(office.sent).toEqual([['resolve_decision', { decision_id: 'dec_a', choice: 'Dismiss', expected_decision_status: 'open' }]]));
  });

  it('accepts free text only if the question allows it', async () => {
    const office = bench({ decisions: [decision({ allow_free_text: true })] });
    const view = draw(office, <Inbox />);
    fireEvent.input(screen.getByLabelText('Your own answer'), { target: { value: 'Grandparents' } });
    fireEvent.submit(view.container.querySelector('form.answer')!);
    undoOver();
    await waitFor(() => expect(office.sent[0]?.[1]).toMatchObject({ choice: 'Grandparents' }));
    office.store.decisions.value = [decision({ decision_id: 'dec_b' })];
    await waitFor(() => expect(screen.queryByLabelText('Your own answer')).toBeNull());
  });

  it('shows a refusal on the card, and when to try again', async () => {
    const office = bench({ decisions: [decision()] });
    office.answer = { ok: false, code: 'RATE_LIMITED', message: 'Too many commands.', retry_after_ms: 4000 };
    draw(office, <Inbox />);
    fireEvent.click(screen.getByText('No, few'));
    undoOver();
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/Too many commands\. Try again in \d s\./));
  });

  it('approves a review and requests changes', async () => {
    const office = bench({ artifacts: [artifact()] });
    const view = draw(office, <Inbox />);
    fireEvent.click(screen.getByText('Approve'));
    undoOver();
    await waitFor(() => expect(office.sent[0]).toEqual(['approve_artifact', { artifact_id: 'art_a', expected_artifact_status: 'in_review' }]));
    office.store.artifacts.value = [artifact({ artifact_id: 'art_b' })];
    await waitFor(() => screen.getByText('Changes…'));
    fireEvent.click(screen.getByText('Changes…'));
    fireEvent.input(screen.getByLabelText('What should change'), { target: { value: 'Shorter' } });
    fireEvent.submit(view.container.querySelector('form.changes')!);
    await waitFor(() => expect(office.sent[1]).toEqual(['request_changes', { artifact_id: 'art_b', instructions: 'Shorter', expected_artifact_status: 'in_review' }]));
  });

  it('says why a patch cannot be approved, by button or key, without operator access', () => {
    const office = bench({ artifacts: [artifact({ type: 'patch', tree: 'f1' })] });
    draw(office, <Inbox />);
    expect(screen.getByRole('note').textContent).toMatch(/^Approving a patch requires operator access\. Run bullpen open/);
    expect(screen.getByText<HTMLButtonElement>('Approve').disabled).toBe(true);
    expect(screen.getByText<HTMLButtonElement>('Changes…').disabled).toBe(false);
    office.shell.need.value = 'art_a';
    expect(answerNeed(office, 'yes')).toBe(true);
    expect(office.shell.toasts.value[0]?.text).toMatch(/operator access/);
    undoOver();
    expect(office.sent).toEqual([]);
    cleanup();
    draw(office, <ArtifactDialog id="art_a" />);
    expect(screen.getByText<HTMLButtonElement>('Approve').disabled).toBe(true);
    expect(screen.getByText(/^Approving a patch requires/)).toBeTruthy();
  });

  it('is sorted by urgency and opens one card at a time', () => {
    const office = bench({ decisions: [decision({ decision_id: 'dec_new', prompt: 'Newer?', asked_at: 9 }), decision()] });
    const view = draw(office, <Inbox />);
    expect(view.container.querySelectorAll('.need')).toHaveLength(1);
    expect(view.container.querySelector('.need')?.textContent).toContain('Who is it for?');
  });

  it('selects the next need after an answer, and the heading if none is left', async () => {
    const office = bench({ decisions: [decision(), decision({ decision_id: 'dec_b', asked_at: 7, prompt: 'When?' })] });
    const view = draw(
      office,
      <section id="needs" tabIndex={-1}>
        <Inbox />
      </section>,
    );
    for (const left of [[decision({ decision_id: 'dec_b', asked_at: 7, prompt: 'When?' })], []]) {
      fireEvent.click(screen.getByText('No, few'));
      const to = () => view.container.querySelector(left.length > 0 ? '.need' : '#needs');
      await waitFor(() => expect(document.activeElement).toBe(to()));
    }
  });

  it('does not move the focus when others answer', async () => {
    const office = bench({ decisions: [decision(), decision({ decision_id: 'dec_b', asked_at: 7, prompt: 'When?' })] });
    draw(office, <Inbox />);
    office.store.decisions.value = [decision({ decision_id: 'dec_b', asked_at: 7, prompt: 'When?' })];
    await waitFor(() => expect(screen.getAllByText('No, few')).toHaveLength(1));
    expect(office.shell.need.value).toBeNull();
    expect(document.activeElement).toBe(document.body);
  });

  it('is disabled with the reason while the connection is stale', () => {
    const office = bench({ decisions: [decision()] });
    office.link.value = { phase: 'stale', attempt: 2, retryAt: null };
    draw(office, <Inbox />);
    const option = screen.getByText('No, few').closest('button')!;
    expect(option.disabled).toBe(true);
    expect(option.title).toMatch(/Not connected/);
  });
});

describe('keys of the inbox', () => {
  it('Space cycles through the needs and shows who is asking', () => {
    const office = bench({ decisions: [decision(), decision({ decision_id: 'dec_b', asked_at: 7, prompt: 'When?' })] });
    nextNeed(office);
    expect(office.shell.need.value).toBe('dec_a');
    expect(office.focus.lookAt.value).toEqual({ kind: 'agent', id: 'agent_bram' });
    nextNeed(office);
    nextNeed(office);
    expect(office.shell.need.value).toBe('dec_a');
  });

  it('Space returns the focus to the only need', async () => {
    const office = bench({ decisions: [decision()] });
    const view = draw(office, <Inbox />);
    const need = () => view.container.querySelector<HTMLElement>('.need')!;
    for (const _ of [1, 2]) {
      nextNeed(office);
      await waitFor(() => expect(document.activeElement).toBe(need()));
      need().blur();
    }
  });

  it('Y and N answer only if an option says so', () => {
    const office = bench({ decisions: [decision({ kind: 'retry', options: ['Try again', 'Cancel the task'] })] });
    expect(answerNeed(office, 'yes')).toBe(false);
    nextNeed(office);
    expect(answerNeed(office, 'no')).toBe(false);
    expect(answerNeed(office, 'yes')).toBe(true);
    undoOver();
    expect(office.sent).toEqual([['resolve_decision', { decision_id: 'dec_a', choice: 'Try again', expected_decision_status: 'open' }]]);
  });

  it('N on a review opens the form for changes', () => {
    const office = bench({ artifacts: [artifact()] });
    nextNeed(office);
    expect(answerNeed(office, 'no')).toBe(true);
    expect(office.shell.dialog.value).toEqual({ kind: 'artifact', id: 'art_a', part: 'changes' });
    expect(office.sent).toEqual([]);
  });
});

const allow = (id: string, by: string) =>
  decision({ decision_id: id, kind: 'permission', asked_by: by, options: ['Allow once', 'Deny'], permission: { tool: 'exec', args: { command: 'npm test' }, place: '~/shop' } });

describe('an answer', () => {
  it('can be undone until it is sent, and then the card is back with its text', async () => {
    const office = bench({ decisions: [decision({ allow_free_text: true })] });
    const view = draw(
      office,
      <>
        <Inbox />
        <UndoCards />
      </>,
    );
    fireEvent.input(screen.getByLabelText('Your own answer'), { target: { value: 'Bakers' } });
    fireEvent.submit(view.container.querySelector('form.answer')!);
    await waitFor(() => screen.getByText(/Nothing needs you/));
    fireEvent.click(screen.getByText(/Undo/));
    undoOver();
    await waitFor(() => expect((screen.getByLabelText('Your own answer') as HTMLInputElement).value).toBe('Bakers'));
    expect(office.sent).toEqual([]);
    expect(office.shell.answerQueue.given.value).toEqual([]);
  });

  it('is sent immediately if the question would expire first', () => {
    const office = bench({ decisions: [decision({ expires_at: 100 + ANSWER_UNDO_MS })] }, () => 100);
    draw(office, <Inbox />);
    fireEvent.click(screen.getByText('No, few'));
    expect(office.sent).toHaveLength(1);
  });

  it('is sent when the page closes; an answer to a permission request is not, and a message says so', () => {
    const office = bench({ decisions: [decision(), allow('dec_p', 'agent_claude')] });
    const stop = watchAnswerQueue(office);
    office.store.permit.value = true;
    const [question, permission] = office.shell.answerQueue.cards.value;
    decidePermissions(office, permission!, 'Allow once');
    office.shell.answer({ commands: [answerCommand(question![0]!.ref, { choice: 'Yes, everybody' })], words: 'Yes, everybody', done: '' });
    dispatchEvent(new Event('pagehide'));
    expect(office.sent).toEqual([['resolve_decision', { decision_id: 'dec_a', choice: 'Yes, everybody', expected_decision_status: 'open' }]]);
    expect(office.shell.toasts.value[0]?.text).toBe('Not sent: “Allow once”. The question is still open.');
    expect(office.shell.answerQueue.cards.value.map((card) => card[0]!.ref)).toContain('dec_p');
    undoOver();
    expect(office.sent).toHaveLength(1);
    stop();
  });

  it('to a question that has been withdrawn is not sent, and a message says so', () => {
    const office = bench({ decisions: [decision()] });
    const stop = watchAnswerQueue(office);
    office.shell.answer({ commands: [answerCommand('dec_a', { choice: 'x' })], words: 'x', done: '' });
    office.store.decisions.value = [];
    undoOver();
    expect(office.sent).toEqual([]);
    expect(office.shell.toasts.value.map((t) => t.text)).toEqual(['Not sent: “x”. The question was answered elsewhere or is gone.']);
    stop();
  });

  it('to the same question from several agents is one command for each; a refusal names its agent, whose question is shown again', async () => {
    const agents = ['agent_juno', 'agent_kit', 'agent_lea'];
    const office = bench({ agents: agents.map((id) => agent(id)), decisions: agents.map((id, i) => allow(`dec_${i}`, id)) });
    office.store.permit.value = true;
    office.shell.armed.value = 'dec_0';
    const view = draw(office, <Inbox />);
    expect(view.container.querySelectorAll('.need, .need-row')).toHaveLength(1);
    expect(view.container.textContent).toContain('3 agents ask the same thing: juno, kit, lea');
    fireEvent.click(screen.getByRole('button', { name: 'Allow once' }));
    office.answers = { dec_1: { ok: false, code: 'CONFLICT', message: 'It was withdrawn.' } };
    undoOver();
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('It was withdrawn.'));
    expect(office.sent).toHaveLength(3);
    expect(office.shell.toasts.value.map((t) => t.text)).toEqual(['kit: It was withdrawn.', 'Allowed once.']);
    expect(view.container.querySelector('.need')?.textContent).toContain('kit');
    expect(view.container.querySelectorAll('.need-row')).toHaveLength(0);
  });

  it('can be given one by one for several agents', async () => {
    const office = bench({ decisions: [allow('dec_0', 'agent_juno'), allow('dec_1', 'agent_kit')] });
    const view = draw(office, <Inbox />);
    fireEvent.click(screen.getByText('One by one'));
    await waitFor(() => expect(view.container.querySelectorAll('.need, .need-row')).toHaveLength(2));
  });
});

describe('a waiting plan', () => {
  it('is started from its card, or opened', async () => {
    const office = bench({ agents: [agent('agent_bd')], projects: [project()], tasks: [task('task_a'), task('task_b')] });
    const view = draw(office, <Inbox />);
    expect(view.container.textContent).toContain('has a plan for you');
    expect(view.container.textContent).toContain('Task task_b');
    fireEvent.click(screen.getByText('Open the board'));
    expect([office.shell.project.value, office.shell.board.value]).toEqual(['proj_a', true]);
    office.answer = { ok: false, code: 'CONFLICT', message: 'Everyone is busy.' };
    fireEvent.click(screen.getByText('Start'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Everyone is busy.'));
    expect(office.sent).toEqual([['auto_assign', { project_id: 'proj_a' }]]);
    nextNeed(office);
    expect(answerNeed(office, 'no')).toBe(false);
    expect(answerNeed(office, 'yes')).toBe(true);
    expect(office.sent).toHaveLength(2);
  });
});

it('a raised hand that cannot be answered here shows where to answer it, and disappears when the hand is lowered', async () => {
  const juno = agent('agent_juno', { source: 'claude', activity: 'waiting', status_line: 'Claude needs your permission to use Bash', place: '~/shop', session: 'claude:4f0c1a2b-11aa-4bcd-8ef0-0123456789ab' });
  const office = bench({ agents: [juno] });
  const view = draw(office, <Inbox />);
  expect(view.container.textContent).toContain('Claude needs your permission to use Bash');
  expect(screen.getByText('Answer in its terminal in ~/shop (session 4f0c1a2b)')).toBeTruthy();
  expect(screen.queryByText('Allow once')).toBeNull();
  fireEvent.click(screen.getByText('Open'));
  expect(office.focus.selected.value).toEqual({ kind: 'agent', id: 'agent_juno' });
  office.store.agents.value = [{ ...juno, activity: 'working' }];
  await waitFor(() => screen.getByText(/Nothing needs you/));
});
