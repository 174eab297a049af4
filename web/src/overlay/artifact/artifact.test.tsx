import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { diffLines } from 'diff';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { artifact, bench, draw } from '../testing.tsx';
import { ArtifactDialog } from './artifact_dialog.tsx';
import { forgetContent } from './content.ts';
import { diffRows, foldRows } from './diff_rows.ts';
import { isTangled, markdownSlices, plainSlices, RICH_CHARS } from './slices.ts';
import { versionsOf } from './versions.ts';

const contents: Record<string, string> = {};
beforeEach(() => {
  forgetContent();
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(new Response(contents[path.split('/')[3]!] ?? '', { status: path.includes('art_gone') ? 404 : 200 })));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('slices', () => {
  it('never tear a fence, lose a letter or draw too much', () => {
    const block = `Text ${'x'.repeat(300)}\n\n\`\`\`\n${'code\n\n'.repeat(40)}\`\`\`\n\n`;
    const text = block.repeat(2000);
    const { rich, rest } = markdownSlices(text);
    expect(rich.join('') + rest).toBe(text);
    expect(rich.join('').length).toBeLessThanOrEqual(RICH_CHARS + 8 * 1024);
    for (const slice of rich) expect((slice.match(/^```/gm) ?? []).length % 2).toBe(0);
    expect(plainSlices(rest).join('')).toBe(rest);
  });

  it('know what would keep the parser busy', () => {
    expect(isTangled('****a_'.repeat(1300))).toBe(true);
    expect(isTangled(`${'****a_'.repeat(16)}\n`.repeat(80))).toBe(true);
    expect(isTangled('word '.repeat(600))).toBe(true);
    expect(isTangled('word '.repeat(300))).toBe(false);
    expect(isTangled('- **bold** and _more_\n'.repeat(90))).toBe(false);
    expect(isTangled(`${'**a** '.repeat(50)}\n\n`.repeat(20))).toBe(false);
  });

  it('cut a single endless line too', () => {
    const { rich, rest } = markdownSlices('y'.repeat(1_000_000));
    expect(Math.max(...rich.map((r) => r.length))).toBeLessThanOrEqual(8 * 1024);
    expect(rest.length).toBe(1_000_000 - rich.join('').length);
  });
});

describe('artifact viewer', () => {
  it('opens a document of a megabyte with the rest on demand', async () => {
    contents['art_a'] = 'A line of text that goes on.\n\n'.repeat(36_000);
    draw(bench({ artifacts: [artifact()] }), <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.prose-part')?.textContent).toContain('goes on'), { timeout: 10_000 });
    const before = document.querySelectorAll('.plain-part').length;
    expect(before).toBe(1);
    fireEvent.click(screen.getByText(/Show more/));
    await waitFor(() => expect(document.querySelectorAll('.plain-part').length).toBe(2));
  }, 20_000);

  it('compares two versions with marks and words', async () => {
    contents['art_a'] = 'one\ntwo\nthree\n';
    contents['art_b'] = 'one\n2\nthree\n';
    const office = bench({ artifacts: [artifact({ status: 'superseded' }), artifact({ artifact_id: 'art_b', version: 2, parent: 'art_a' })] });
    draw(office, <ArtifactDialog id="art_b" part="diff" />);
    await waitFor(() => expect(document.querySelector('.added')).toBeTruthy());
    expect(document.querySelector('.added')?.textContent).toBe('2+added2');
    expect(document.querySelector('.removed')?.textContent).toBe('2−removedtwo');
  });

  it('shows hostile Markdown as it is, and goes on after it', async () => {
    contents['art_a'] = `${'****a_'.repeat(1200)}\n\n${'> '.repeat(4000)}x\n\n${'More.\n\n'.repeat(60)}# After`;
    draw(bench({ artifacts: [artifact()] }), <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.prose h1')?.textContent).toBe('After'), { timeout: 5000 });
    expect(document.querySelector('.prose pre')?.textContent).toMatch(/^\*{4}a_/);
  });

  it('draws a long comparison in parts', async () => {
    contents['art_a'] = 'same\n'.repeat(1200);
    contents['art_b'] = contents['art_a'] + 'new\n'.repeat(700);
    const office = bench({ artifacts: [artifact({ status: 'superseded' }), artifact({ artifact_id: 'art_b', version: 2, parent: 'art_a' })] });
    draw(office, <ArtifactDialog id="art_b" part="diff" />);
    await waitFor(() => expect(document.querySelectorAll('.diff tr')).toHaveLength(501));
    fireEvent.click(screen.getByText(/unchanged lines/));
    await waitFor(() => expect(document.querySelectorAll('.diff tr')).toHaveLength(1001));
    expect(screen.getByText('Show more (697 rows left)')).toBeTruthy();
    fireEvent.click(screen.getByText('Show more (204 rows left)'));
    await waitFor(() => expect(document.querySelectorAll('.added')).toHaveLength(700));
  });

  it('shows both versions when they have too little in common', async () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
    contents['art_a'] = lines('old');
    contents['art_b'] = lines('new');
    const office = bench({ artifacts: [artifact({ status: 'superseded' }), artifact({ artifact_id: 'art_b', version: 2, parent: 'art_a' })] });
    draw(office, <ArtifactDialog id="art_b" part="diff" />);
    await waitFor(() => expect(screen.getByText(/too little in common/)).toBeTruthy(), { timeout: 5000 });
    expect([...document.querySelectorAll('.plain-part')].map((p) => p.textContent?.slice(0, 5))).toEqual(['old 0', 'new 0']);
  });

  it('splits into tasks, and shows a refusal', async () => {
    const office = bench({ artifacts: [artifact()] });
    office.answer = { ok: false, code: 'CONFLICT', message: 'Somebody was faster.' };
    draw(office, <ArtifactDialog id="art_a" part="split" />);
    fireEvent.input(screen.getByLabelText('Task 1'), { target: { value: 'First' } });
    fireEvent.submit(screen.getByLabelText('Split into tasks'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Somebody was faster.'));
    expect(office.sent).toEqual([['split_into_tasks', { artifact_id: 'art_a', task_titles: ['First'], expected_artifact_status: 'in_review' }]]);
  });

  it('says when the content cannot be read', async () => {
    draw(bench({ artifacts: [artifact({ artifact_id: 'art_gone' })] }), <ArtifactDialog id="art_gone" />);
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/404/));
  });
});

describe('versions and diffs', () => {
  it('find the whole line of a version, also across a circle', () => {
    const all = [artifact({ artifact_id: 'art_3', version: 3, parent: 'art_2' }), artifact({ artifact_id: 'art_2', version: 2, parent: 'art_gone' }), artifact({ artifact_id: 'art_x' })];
    expect(versionsOf(all, 'art_3').map((a) => a.artifact_id)).toEqual(['art_2', 'art_3']);
    const circle = [artifact({ artifact_id: 'art_1', parent: 'art_2' }), artifact({ artifact_id: 'art_2', parent: 'art_1' })];
    expect(versionsOf(circle, 'art_1').length).toBeGreaterThan(0);
  });

  it('fold long unchanged stretches', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\n`);
    const rows = foldRows(diffRows(diffLines(lines.join(''), [...lines.slice(0, 20), 'new\n', ...lines.slice(20)].join(''))));
    expect(rows.filter((r) => 'folded' in r)).toHaveLength(2);
    expect(rows.filter((r) => !('folded' in r) && r.mark === '+')).toEqual([{ mark: '+', before: null, after: 21, text: 'new' }]);
  });
});
