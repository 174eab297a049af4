import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { artifact, bench, draw } from '../testing.tsx';
import { ArtifactDialog } from './artifact_dialog.tsx';
import { versionsOf } from './versions.ts';

const contents: Record<string, string> = {};
beforeEach(() => {
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(new Response(contents[path.split('/')[3]!] ?? '', { status: path.includes('art_gone') ? 404 : 200 })));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('artifact viewer', () => {
  it('opens a document of a megabyte with the rest on demand', async () => {
    contents['art_a'] = 'A line of text that goes on.\n\n'.repeat(36_000);
    draw(bench({ artifacts: [artifact()] }), <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.prose-part')?.textContent).toContain('goes on'), { timeout: 10_000 });
    expect(document.querySelectorAll('.out-line')).toHaveLength(2000);
    expect(screen.getByText(/^Show the rest \(/)).toBeTruthy();
  }, 20_000);

  const two = () => bench({ artifacts: [artifact({ status: 'superseded' }), artifact({ artifact_id: 'art_b', version: 2, parent: 'art_a' })] });
  const rows = (tone: string) => [...document.querySelectorAll(`.${tone} .diff-text`)].map((el) => el.textContent);

  it('shows the changes of a later version first, and the version itself on demand', async () => {
    contents['art_a'] = 'one\ntwo\nthree\n';
    contents['art_b'] = 'one\n2\nthree\n';
    draw(two(), <ArtifactDialog id="art_b" />);
    await waitFor(() => expect(rows('added')).toEqual(['2']));
    expect(rows('removed')).toEqual(['two']);
    expect(document.querySelector('.removed .diff-no')?.getAttribute('data-no')).toBe('2');
    fireEvent.click(screen.getByText('Changes since v1'));
    await waitFor(() => expect(document.querySelector('.prose')?.textContent).toContain('three'));
    expect(screen.getByText('Changes since v1').getAttribute('aria-pressed')).toBe('false');
  });

  it('opens a first version, and a picture, directly', async () => {
    contents['art_a'] = 'one';
    draw(two(), <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.prose')?.textContent).toContain('one'));
    cleanup();
    const mime = 'image/png';
    draw(bench({ artifacts: [artifact({ mime }), artifact({ artifact_id: 'art_b', version: 2, parent: 'art_a', mime })] }), <ArtifactDialog id="art_b" />);
    expect(screen.getByText('Changes since v1').getAttribute('aria-pressed')).toBe('false');
  });

  it('shows hostile Markdown as text, and renders the rest', async () => {
    contents['art_a'] = `${'****a_'.repeat(1200)}\n\n${'> '.repeat(4000)}x\n\n${'More.\n\n'.repeat(60)}# After`;
    draw(bench({ artifacts: [artifact()] }), <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.prose h1')?.textContent).toBe('After'), { timeout: 5000 });
    expect(document.querySelector('.prose .out')?.textContent).toMatch(/^\*{4}a_/);
  });

  it('collapses unchanged lines, and renders a long comparison in parts', async () => {
    contents['art_a'] = 'same\n'.repeat(1200);
    contents['art_b'] = contents['art_a'] + 'new\n'.repeat(7000);
    draw(two(), <ArtifactDialog id="art_b" />);
    await waitFor(() => expect(document.querySelectorAll('[data-row]').length).toBe(2000));
    fireEvent.click(screen.getByText('… 1197 unchanged lines'));
    await waitFor(() => expect(screen.queryByText(/unchanged lines/)).toBeNull());
    expect(screen.getByText('Show the rest (3,200 rows)')).toBeTruthy();
  });

  it('shows versions with little in common one after the other', async () => {
    const lines = (word: string) => Array.from({ length: 4000 }, (_, i) => `${word} ${i}\n`).join('');
    contents['art_a'] = lines('old');
    contents['art_b'] = lines('new');
    draw(two(), <ArtifactDialog id="art_b" />);
    await waitFor(() => expect(document.querySelector('.work-count')?.textContent).toBe('+4000−4000'));
    expect(rows('removed')[0]).toBe('old 0');
  });

  it('drops content when the store is reset, as after a redaction, and what is being read then', async () => {
    contents['art_a'] = 'a secret';
    const office = bench({ artifacts: [artifact()] });
    const { findByText, queryByText } = draw(office, <ArtifactDialog id="art_a" />);
    await findByText('a secret');
    const late = office.contents.read(artifact({ artifact_id: 'art_late' }));
    office.store.reset();
    await waitFor(() => expect(queryByText('a secret')).toBeNull());
    await late;
    contents['art_a'] = '[redacted]';
    contents['art_late'] = '[redacted]';
    office.store.artifacts.value = [artifact()];
    await findByText('[redacted]');
    expect(queryByText('a secret')).toBeNull();
    expect(await office.contents.read(artifact({ artifact_id: 'art_late' }))).toEqual({ kind: 'text', text: '[redacted]' });
  });

  it('splits into tasks, and shows a refusal', async () => {
    const office = bench({ artifacts: [artifact()] });
    office.answer = { ok: false, code: 'CONFLICT', message: 'Another reviewer was faster.' };
    draw(office, <ArtifactDialog id="art_a" part="split" />);
    fireEvent.input(screen.getByLabelText('Task 1'), { target: { value: 'First' } });
    fireEvent.submit(screen.getByLabelText('Split into tasks'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Another reviewer was faster.'));
    expect(office.sent).toEqual([['split_into_tasks', { artifact_id: 'art_a', task_titles: ['First'], expected_artifact_status: 'in_review' }]]);
  });

  it('shows an error if the content cannot be read', async () => {
    draw(bench({ artifacts: [artifact({ artifact_id: 'art_gone' })] }), <ArtifactDialog id="art_gone" />);
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/404/));
  });
});

describe('versions', () => {
  it('include the whole chain of a version, even if it is circular', () => {
    const all = [artifact({ artifact_id: 'art_3', version: 3, parent: 'art_2' }), artifact({ artifact_id: 'art_2', version: 2, parent: 'art_gone' }), artifact({ artifact_id: 'art_x' })];
    expect(versionsOf(all, 'art_3').map((a) => a.artifact_id)).toEqual(['art_2', 'art_3']);
    const circle = [artifact({ artifact_id: 'art_1', parent: 'art_2' }), artifact({ artifact_id: 'art_2', parent: 'art_1' })];
    expect(versionsOf(circle, 'art_1').length).toBeGreaterThan(0);
  });
});
