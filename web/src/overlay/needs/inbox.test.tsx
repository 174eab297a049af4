import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, artifact, bench, decision, draw } from '../testing.tsx';
import { answerNeed, nextNeed } from './answer.ts';
import { Inbox } from './inbox.tsx';

afterEach(cleanup);

describe('inbox', () => {
  it('says so kindly when nothing waits', () => {
    draw(bench(), <Inbox />);
    expect(screen.getByText(/Nothing needs you/)).toBeTruthy();
  });

  it('answers a question in place, with the note', async () => {
    const office = bench({ agents: [agent('agent_bram')], decisions: [decision()] });
    draw(office, <Inbox />);
    fireEvent.click(screen.getByText('Add a note'));
    fireEvent.input(screen.getByLabelText('Note for the asker'), { target: { value: ' soon please ' } });
    fireEvent.click(screen.getByText('No, few'));
    await waitFor(() => expect(office.sent).toHaveLength(1));
    expect(office.sent[0]).toEqual(['resolve_decision', { decision_id: 'dec_a', choice: 'No, few', note: 'soon please', expected_decision_status: 'open' }]);
  });

  it('takes free text only where the question allows it', async () => {
    const office = bench({ decisions: [decision({ allow_free_text: true })] });
    const view = draw(office, <Inbox />);
    fireEvent.input(screen.getByLabelText('Your own answer'), { target: { value: 'Grandparents' } });
    fireEvent.submit(view.container.querySelector('form.answer')!);
    await waitFor(() => expect(office.sent[0]?.[1]).toMatchObject({ choice: 'Grandparents' }));
    office.store.decisions.value = [decision()];
    await waitFor(() => expect(screen.queryByLabelText('Your own answer')).toBeNull());
  });

  it('shows a refusal where it was asked, and when to try again', async () => {
    const office = bench({ decisions: [decision()] });
    office.answer = { ok: false, code: 'RATE_LIMITED', message: 'Too many commands.', retry_after_ms: 4000 };
    draw(office, <Inbox />);
    fireEvent.click(screen.getByText('No, few'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/Too many commands\. Try again in \d s\./));
  });

  it('approves and sends back a review', async () => {
    const office = bench({ artifacts: [artifact()] });
    const view = draw(office, <Inbox />);
    fireEvent.click(screen.getByText('Approve'));
    await waitFor(() => expect(office.sent[0]).toEqual(['approve_artifact', { artifact_id: 'art_a', expected_artifact_status: 'in_review' }]));
    fireEvent.click(screen.getByText('Changes…'));
    fireEvent.input(screen.getByLabelText('What should change'), { target: { value: 'Shorter' } });
    fireEvent.submit(view.container.querySelector('form.changes')!);
    await waitFor(() => expect(office.sent[1]).toEqual(['request_changes', { artifact_id: 'art_a', instructions: 'Shorter', expected_artifact_status: 'in_review' }]));
  });

  it('is oldest first and opens one at a time', () => {
    const office = bench({ decisions: [decision({ decision_id: 'dec_new', prompt: 'Newer?', asked_at: 9 }), decision()] });
    const view = draw(office, <Inbox />);
    expect(view.container.querySelectorAll('.need')).toHaveLength(1);
    expect(view.container.querySelector('.need')?.textContent).toContain('Who is it for?');
  });

  it('moves on to the next need after an answer, and to the head when none is left', async () => {
    const office = bench({ decisions: [decision(), decision({ decision_id: 'dec_b', asked_at: 7 })] });
    const view = draw(
      office,
      <section id="needs" tabIndex={-1}>
        <Inbox />
      </section>,
    );
    for (const left of [[decision({ decision_id: 'dec_b', asked_at: 7 })], []]) {
      fireEvent.click(screen.getByText('No, few'));
      await waitFor(() => expect(office.sent).toHaveLength(2 - left.length));
      office.store.decisions.value = left;
      const to = () => view.container.querySelector(left.length > 0 ? '.need' : '#needs');
      await waitFor(() => expect(document.activeElement).toBe(to()));
    }
  });

  it('leaves the focus alone when others answer', async () => {
    const office = bench({ decisions: [decision(), decision({ decision_id: 'dec_b', asked_at: 7 })] });
    draw(office, <Inbox />);
    office.store.decisions.value = [decision({ decision_id: 'dec_b', asked_at: 7 })];
    await waitFor(() => expect(screen.getAllByText('No, few')).toHaveLength(1));
    expect(office.shell.need.value).toBeNull();
    expect(document.activeElement).toBe(document.body);
  });

  it('freezes with the reason while the link is stale', () => {
    const office = bench({ decisions: [decision()] });
    office.link.value = { phase: 'stale', attempt: 2, retryAt: null };
    draw(office, <Inbox />);
    const option = screen.getByText('No, few').closest('button')!;
    expect(option.disabled).toBe(true);
    expect(option.title).toMatch(/Not connected/);
  });
});

describe('keys of the inbox', () => {
  it('Space goes round the needs and looks at who asks', () => {
    const office = bench({ decisions: [decision(), decision({ decision_id: 'dec_b', asked_at: 7 })] });
    nextNeed(office);
    expect(office.shell.need.value).toBe('dec_a');
    expect(office.focus.lookAt.value).toEqual({ kind: 'agent', id: 'agent_bram' });
    nextNeed(office);
    nextNeed(office);
    expect(office.shell.need.value).toBe('dec_a');
  });

  it('Space brings the focus back to the only need', async () => {
    const office = bench({ decisions: [decision()] });
    const view = draw(office, <Inbox />);
    const need = () => view.container.querySelector<HTMLElement>('.need')!;
    for (const _ of [1, 2]) {
      nextNeed(office);
      await waitFor(() => expect(document.activeElement).toBe(need()));
      need().blur();
    }
  });

  it('Y and N answer only where an option says so', () => {
    const office = bench({ decisions: [decision({ kind: 'retry', options: ['Try again', 'Cancel the task'] })] });
    expect(answerNeed(office, 'yes')).toBe(false);
    nextNeed(office);
    expect(answerNeed(office, 'no')).toBe(false);
    expect(answerNeed(office, 'yes')).toBe(true);
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
