import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Finding, Review } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';
import { agent, artifact, bench, draw, task } from '../testing.tsx';
import { ArtifactDialog } from './artifact_dialog.tsx';
import { canAskReview, reviewLine } from './review_words.ts';
import * as say from '../../contracts/words.gen.ts';

interface Vectors {
  agents: AgentView[];
  lines: { review: Review; stale?: boolean; want: string }[];
}

// The terminal client is tested with the same file.
const { agents, lines } = JSON.parse(readFileSync(join(process.cwd(), '..', 'contracts', 'vectors', 'review.json'), 'utf8')) as Vectors;

it.each(lines)('a review is summed up: $want', ({ review, stale, want }) => {
  expect(reviewLine(review, agents, stale ?? false)).toBe(want);
});

const PATCH = `diff --git a/src/cart.ts b/src/cart.ts
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -10,3 +10,3 @@
 let sum = 0;
-sum += price;
+sum += price * count;
 return sum;
diff --git a/go.sum b/go.sum
--- a/go.sum
+++ b/go.sum
@@ -1 +1 @@
-h1:old
+h1:new
`;
const finding = (more: Partial<Finding> = {}): Finding => ({ path: 'src/cart.ts', line: 11, severity: 'problem', text: 'The total overflows.', ...more });
const patch = (more = {}) => artifact({ type: 'patch', mime: 'text/x-diff', tree: 'f1', ...more });
const reviewed = (...findings: Finding[]): { reviews: Review[] } => ({ reviews: [{ agent_id: 'agent_rae', status: 'commented', differs: 'vendor', summary: 'Almost.', findings }] });
const crew = () => [agent('agent_bram', { runner: 'codex' }), agent('agent_rae', { runner: 'claude' }), agent('agent_sam', { runner: 'codex' })];

describe('reviews by agents', () => {
  beforeEach(() => void vi.stubGlobal('fetch', () => Promise.resolve(new Response(PATCH))));
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
  });

  const open = async (more = {}) => {
    const office = bench({ agents: crew(), tasks: [task('task_a', { tree: 'f1' })], artifacts: [patch(more)] });
    draw(office, <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.diff')).toBeTruthy());
    return office;
  };
  const rowAbove = (text: string) => screen.getByText(text).closest('[data-row]')?.previousElementSibling?.textContent;

  it('are summed up; findings appear as text below their lines, with the reviewer’s name', async () => {
    await open(reviewed(finding({ text: '<img src=x onerror=alert(1)>' }), finding({ line: 11, removed: true, severity: 'nit', text: 'Keep it.' }), finding({ path: 'go.sum', line: 1, text: 'Which version?' })));
    expect(screen.getByLabelText('Reviews by agents').textContent).toBe('rae (claude, another vendor) reviewed it: 3 findingsAlmost.');
    expect(document.querySelector('.finding img')).toBeNull();
    expect(rowAbove('<img src=x onerror=alert(1)>')).toContain('sum += price * count;');
    expect(rowAbove('Keep it.')).toContain('sum += price;');
    expect(rowAbove('Which version?'), 'a generated file with a finding is not folded').toContain('h1:new');
    expect(screen.getByText('Keep it.').closest('.finding')?.textContent).toBe('raenitKeep it.');
    expect(screen.queryByLabelText(/^(Edit|Delete) the comment/)).toBeNull();
  });

  it('say if the files changed later, and list findings whose line the patch does not show', async () => {
    const office = await open(reviewed(finding({ path: 'gone.ts', line: 7 })));
    expect(screen.getByLabelText('1 finding').textContent).toContain('gone.ts:7');
    office.store.tasks.value = [task('task_a', { tree: 'f2' })];
    await screen.findByText(/stale: the files changed later/);
  });

  it('are sent with the change request if the user chooses to', async () => {
    const office = await open(reviewed(finding()));
    fireEvent.click(screen.getByText(say.requestChanges));
    fireEvent.input(screen.getByLabelText('What should change'), { target: { value: 'Please fix.' } });
    fireEvent.click(screen.getByLabelText(/^Send the findings too/));
    fireEvent.submit(document.querySelector('form.changes')!);
    await waitFor(() => expect(office.sent).toEqual([['request_changes', { artifact_id: 'art_a', instructions: 'Please fix.', expected_artifact_status: 'in_review', with_findings: true }]]));
  });

  it('can be asked for while nobody is reviewing the patch', async () => {
    const office = await open(reviewed());
    fireEvent.click(screen.getByText(say.askReview));
    await waitFor(() => expect(office.sent).toEqual([['ask_review', { artifact_id: 'art_a' }]]));
    office.store.artifacts.value = [patch({ reviews: [{ agent_id: 'agent_sam', status: 'requested' }] })];
    await screen.findByText('sam (codex) is reviewing it');
    expect(screen.queryByText(say.askReview)).toBeNull();
  });

  it.each<[string, boolean, Parameters<typeof patch>[0], (all: AgentView[]) => AgentView[]]>([
    ['is in review', true, {}, (all) => all],
    ['was reviewed by everyone else', false, { reviews: ['agent_rae', 'agent_sam'].map((id) => ({ agent_id: id, status: 'commented' })) }, (all) => all],
    ['got a review that failed', true, { reviews: [{ agent_id: 'agent_rae', status: 'failed' }] }, (all) => all.slice(0, 2)],
    ['is approved', false, { status: 'approved' }, (all) => all],
    ['has no files', false, { tree: '' }, (all) => all],
    ['has an author who is alone', false, {}, (all) => all.slice(0, 1)],
    ['could be reviewed only by guests', false, {}, (all) => all.map((a) => ({ ...a, source: 'claude' }))],
    ['could be reviewed only by a script', false, {}, (all) => [all[0]!, agent('agent_toy', { runner: 'rehearsal' })]],
  ])('of a patch that %s can be asked for: %s', (_, want, more, of) => {
    expect(canAskReview(patch(more), [], of(crew()))).toBe(want);
  });
});
