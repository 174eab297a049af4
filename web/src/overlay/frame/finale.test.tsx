import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, test } from 'vitest';
import type { Finale } from '../../world/finale.ts';
import { bench, draw } from '../testing.tsx';
import { FinaleCard, summaryOf } from './finale_card.tsx';

const finale: Finale = { project_id: 'project_p1', title: 'Landing page', at: 1000, took: 3 * 3_600_000 + 12 * 60_000, answered: 2, deliverables: [{ artifact_id: 'artifact_a1', title: 'The copy', type: 'copy' }, { artifact_id: 'artifact_a2', title: 'The page', type: 'page' }], crew: ['agent_writer_1'] };

afterEach(cleanup);

describe('the card of a completed project', () => {
  test('counts only what is known', () => {
    expect(summaryOf(finale)).toBe('The crew delivered 2 pieces of work in 3 h 12 min. You answered 2 questions.');
    const { took: _, ...open } = finale;
    expect(summaryOf({ ...open, answered: 0, deliverables: [] })).toBe('The crew delivered 0 pieces of work.');
  });

  test('opens each deliverable and the result, and thanks the crew once', async () => {
    const office = bench();
    office.focus.finale.value = finale;
    draw(office, <FinaleCard />);
    fireEvent.click(screen.getByRole('button', { name: 'Thank the crew' }));
    await waitFor(() => expect(office.said).toEqual([['bd_main', 'Thanks, everyone, for “Landing page”.']]));
    expect(screen.getByRole('button', { name: 'Thanks sent' })).toHaveProperty('disabled', true);
    fireEvent.click(screen.getByRole('button', { name: 'The copy' }));
    expect(office.shell.dialog.value).toEqual({ kind: 'artifact', id: 'artifact_a1' });
    await waitFor(() => expect(screen.queryByText('Landing page'), 'hidden while a dialog is open').toBeNull());
  });

  test('stays hidden while the user is typing', async () => {
    const office = bench(), box = document.body.appendChild(document.createElement('textarea'));
    box.value = 'half a sentence';
    box.focus();
    office.focus.finale.value = finale;
    draw(office, <FinaleCard />);
    await waitFor(() => expect(screen.queryByText('Landing page')).toBeNull());
    box.value = '';
    fireEvent.input(box);
    await waitFor(() => expect(screen.queryByText('Landing page')).not.toBeNull());
    box.remove();
  });

  test('has no thanks button when commands are disabled', () => {
    const office = bench();
    office.store.access.value = 'viewer';
    office.focus.finale.value = finale;
    draw(office, <FinaleCard />);
    expect(screen.queryByRole('button', { name: 'Thank the crew' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Open the result' })).not.toBeNull();
  });
});
