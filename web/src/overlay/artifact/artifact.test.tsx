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
  it('opens the start of a one-megabyte document, and the rest on demand', async () => {
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

  it('drops content when the store is reset, as after a redaction, even content that is still loading', async () => {
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

const PATCH = `diff --git a/src/cart.ts b/src/cart.ts
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -10,3 +10,4 @@
 let sum = 0;
-sum += price;
+sum += price * count;
+sum = round(sum);
 return sum;
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/go.sum b/go.sum
--- a/go.sum
+++ b/go.sum
@@ -1 +1 @@
-h1:old
+h1:new
`;

describe('a patch', () => {
  const patch = (more = {}) => artifact({ type: 'patch', mime: 'text/x-diff; charset=utf-8', ...more });
  const texts = (selector: string) => [...document.querySelectorAll(selector)].map((el) => el.textContent);
  const press = (key: string) => fireEvent.keyDown(document.querySelector('.work-body')!, { key });
  const open = async (office = bench({ artifacts: [patch()] }), text = PATCH) => {
    contents['art_a'] = text;
    draw(office, <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.diff')).toBeTruthy());
    return office;
  };

  it('lists its files, colours their lines, and folds generated files', async () => {
    await open();
    expect(texts('.patch-file')).toEqual(['Mmodified src/cart.ts+2−1', 'Rrenamed new.txt+0−0', 'Mmodified logo.pngbinary', 'Mmodified go.sum+1−1']);
    expect(texts('.added .diff-text')).toEqual(['sum += price * count;', 'sum = round(sum);']);
    expect(texts('.changed-word')).toEqual([' * count']);
    expect(texts('.code-word')).toContain('let');
    fireEvent.click(screen.getByText('show 2 lines'));
    expect(texts('.added .diff-text')).toContain('h1:new');
    fireEvent.click(screen.getAllByText('Fold').at(-1)!);
    expect(texts('.added .diff-text')).not.toContain('h1:new');
    fireEvent.click(document.querySelector('.patch-file[title="go.sum"]')!);
    expect(texts('.added .diff-text')).toContain('h1:new');
    expect(document.querySelector('.here')?.textContent).toContain('h1:old');
  });

  it('keeps a comment that is being written when the layout of the lines changes', async () => {
    const office = await open();
    press('c');
    fireEvent.input(screen.getByLabelText(/^Comment on/), { target: { value: 'Why is' } });
    cleanup();
    draw(office, <ArtifactDialog id="art_a" />);
    const field = await screen.findByLabelText<HTMLTextAreaElement>(/^Comment on/);
    expect(field.value).toBe('Why is');
    fireEvent.keyDown(field, { key: 'Escape' });
    press('c');
    expect(screen.getByLabelText<HTMLTextAreaElement>(/^Comment on/).value).toBe('');
  });

  it('accepts comments on lines, by key and by click, and sends them with the change request', async () => {
    const office = await open();
    const write = (text: string) => {
      const field = screen.getByLabelText(/^Comment on/);
      fireEvent.input(field, { target: { value: text } });
      fireEvent.keyDown(field, { key: 'Enter' });
    };
    press('c');
    expect(screen.getByLabelText('Comment on src/cart.ts:11 (removed)')).toBeTruthy();
    write('Why is this gone?');
    fireEvent.click(document.querySelectorAll('.added .diff-no')[3]!);
    write('Not this.');
    press('j');
    press('ArrowDown');
    press('c');
    write('Round twice.');
    expect(texts('.comment-text')).toEqual(['Why is this gone?', 'Round twice.', 'Not this.']);
    fireEvent.click(screen.getByLabelText('Delete the comment on src/cart.ts:12'));
    fireEvent.click(screen.getByLabelText('Edit the comment on src/cart.ts:11'));
    write('Round once.');
    fireEvent.click(screen.getByText('Request changes'));
    expect(screen.getByText('2 line comments will be sent too')).toBeTruthy();
    fireEvent.submit(document.querySelector('form.changes')!);
    await waitFor(() => expect(office.sent).toHaveLength(1));
    expect(office.sent[0]).toEqual(['request_changes', { artifact_id: 'art_a', expected_artifact_status: 'in_review', instructions: 'src/cart.ts:11 (removed): Why is this gone?\nsrc/cart.ts:11: Round once.' }]);
  });

  it('has no comments unless it is in review', async () => {
    await open(bench({ artifacts: [patch({ status: 'approved' })] }));
    press('c');
    fireEvent.click(document.querySelector('.added .diff-no')!);
    expect(document.querySelector('form')).toBeNull();
  });

  it('is compared with its earlier version file by file, and says why if that is not possible', async () => {
    let reply = new Response('diff --git a/go.sum b/go.sum\n--- a/go.sum\n+++ b/go.sum\n@@ -1 +1 @@\n-h1:one\n+h1:two\ndiff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-one\n+two\n');
    const paths: string[] = [];
    vi.stubGlobal('fetch', (path: string) => {
      paths.push(path);
      return Promise.resolve(path.includes('/changes') ? reply : new Response(PATCH));
    });
    const office = () => bench({ artifacts: [patch({ status: 'superseded' }), patch({ artifact_id: 'art_b', version: 2, parent: 'art_a' })] });
    draw(office(), <ArtifactDialog id="art_b" />);
    fireEvent.click(screen.getByText('Changes since v1'));
    await waitFor(() => expect(texts('.added .diff-text')).toEqual(['two']));
    expect(paths).toContain('/v1/artifacts/art_b/changes?since=art_a');
    expect(screen.getByRole('table', { name: 'Version 1 compared with version 2' })).toBeTruthy();
    expect(texts('.patch-file')).toHaveLength(2);
    press('c');
    expect(document.querySelector('.comment')).toBeNull();
    cleanup();
    reply = new Response('');
    draw(office(), <ArtifactDialog id="art_b" part="diff" />);
    await screen.findByText('No files changed since v1.');
    cleanup();
    reply = new Response(JSON.stringify({ message: 'the repository shop was removed from the office' }), { status: 404 });
    draw(office(), <ArtifactDialog id="art_b" part="diff" />);
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('the repository shop was removed from the office'));
  });

  it('of a megabyte is rendered in parts, as text', async () => {
    const file = (i: number) => `diff --git a/f${i} b/f${i}\n--- a/f${i}\n+++ b/f${i}\n@@ -1 +1 @@\n-${'x'.repeat(140)}\n+<img src=x onerror=alert(1)>${'y'.repeat(120)}\n`;
    await open(undefined, Array.from({ length: 3000 }, (_, i) => file(i)).join(''));
    expect(document.querySelectorAll('.patch-file')).toHaveLength(500);
    expect(document.querySelectorAll('[data-row]')).toHaveLength(2000);
    expect(document.querySelector('.diff img')).toBeNull();
  });

  it('is shown as text if it is not a patch', async () => {
    contents['art_a'] = 'no patch at all';
    draw(bench({ artifacts: [patch()] }), <ArtifactDialog id="art_a" />);
    await waitFor(() => expect(document.querySelector('.work-body')?.textContent).toBe('no patch at all'));
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
