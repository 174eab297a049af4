import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bench, draw } from '../testing.tsx';
import { fileLink } from './file_link.ts';
import { CallWork, comparedContent, documentContent } from './viewer.tsx';
import { Work } from './work.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const $ = (selector: string) => document.querySelector<HTMLElement>(selector)!;
const texts = (selector: string) => [...document.querySelectorAll(selector)].map((el) => el.textContent);
const edit = { tool: 'edit', args: { path: '/shop/cart.ts', old_string: 'const total = 0;', new_string: 'let total = 0;', replace_all: true } };

describe('a diff', () => {
  it('shows path, counts, both lines and the changed words', () => {
    draw(bench(), <CallWork call={edit} />);
    expect($('.work-head').textContent).toBe('/shop/cart.tsall occurrences+1−1');
    expect(texts('.removed .diff-text')).toEqual(['const total = 0;']);
    expect(texts('.added .diff-text')).toEqual(['let total = 0;']);
    expect(texts('.changed-word')).toEqual(['const', 'let']);
    expect($('.diff').className).toContain('diff-bare');
    expect(screen.getByRole('table', { name: 'Changes' })).toBeTruthy();
  });

  it('is highlighted in the language of its file', async () => {
    draw(bench(), <CallWork call={edit} />);
    await waitFor(() => expect(texts('.code-word')).toEqual(['const', 'let']));
    expect(texts('.changed-word')).toEqual(['const', 'let']);
    expect(texts('.diff-text')).toEqual(['const total = 0;', 'let total = 0;']);
  });

  it('is side by side if wide', () => {
    vi.stubGlobal('ResizeObserver', class {
      constructor(private readonly tell: (entries: object[]) => void) {}
      observe() {
        this.tell([{ contentRect: { width: 1200 } }]);
      }
      disconnect() {}
    });
    draw(bench(), <CallWork call={edit} tall />);
    expect(document.querySelectorAll('.diff-split .diff-half')).toHaveLength(2);
    fireEvent.click(screen.getByLabelText('Wrap lines'));
    expect($('.diff-split')).toBeNull();
  });

  it('can be stepped through by keys, which never answer a card', () => {
    const result = { diff: '@@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,1 +9,1 @@\n-c\n+d\n' };
    draw(bench(), <div class="need"><CallWork call={{ ...edit, result }} /></div>);
    const press = (key: string) => fireEvent.keyDown($('.work-body'), { key });
    press('n');
    expect($('.here')).toBeNull();
    expect(press('j')).toBe(false);
    expect($('.here').textContent).toContain('a');
    press('j');
    expect($('.here').textContent).toContain('c');
    press('k');
    expect($('.here').textContent).toContain('a');
  });

  it('names new, renamed and binary files', () => {
    const diff = 'diff --git a/x b/y\nrename from x\nrename to y\ndiff --git a/l.png b/l.png\nBinary files a/l.png and b/l.png differ\n';
    draw(bench(), <CallWork call={{ tool: 'edit', args: {}, result: { diff } }} />);
    expect(texts('.diff-file')).toEqual(['yrenamedfrom x+0−0', 'l.pngbinary+0−0']);
    cleanup();
    draw(bench(), <CallWork call={{ tool: 'edit', args: { path: 'a.ipynb', edit_mode: 'delete', new_source: '' } }} />);
    expect($('.work-body').textContent).toBe('No lines to show.');
    cleanup();
    draw(bench(), <CallWork call={{ tool: 'write', args: { path: 'a', content: 'x\n' }, result: { ok: true, created: true } }} />);
    expect($('.work-head').textContent).toBe('anew file+1−0');
  });
});

describe('a terminal', () => {
  it('shows the command, its output in colours, its exit code and the duration', () => {
    draw(bench(), <CallWork call={{ tool: 'exec', args: { command: 'npm test' }, result: { exitCode: 1, stdout: 'FAIL a', stdoutStyles: '0:0-4=1;31', stderr: 'no' } }} took={2100} />);
    expect($('.work-head').textContent).toBe('exit code 12.1 s');
    expect($('.command').textContent).toBe('npm test');
    const run = $('.sgr');
    expect([run.textContent, run.className]).toEqual(['FAIL', 'sgr sgr-bold']);
    expect(run.style.getPropertyValue('--fg-day')).toMatch(/^rgb\(/);
    expect($('.out-bad').textContent).toBe('no');
  });

  it('that is a saved log has no exit code', () => {
    draw(bench(), <Work work={{ content: documentContent('\x1b[31mred', {}) }} tall />);
    expect($('.work-head').textContent).toBe('Terminal output');
  });

  it('places colours by characters, not by UTF-16 units', () => {
    draw(bench(), <CallWork call={{ tool: 'exec', args: { command: 'x' }, result: { stdout: '🙂é!', stdoutStyles: '0:1-2=31' } }} />);
    expect($('.sgr').textContent).toBe('é');
  });
});

it('a file has line numbers, and the requested lines are marked', () => {
  const file = { kind: 'file', path: 'a.txt', start: 9, area: [10, 11], text: 'a\nb\nc\nd\n' } as const;
  draw(bench(), <Work work={{ content: file }} />);
  expect([...document.querySelectorAll('.diff-no')].map((n) => n.getAttribute('data-no'))).toEqual(['9', '10', '11', '12']);
  expect(texts('.in-area')).toEqual(['b', 'c']);
});

it('a path in a document opens the file at its line', async () => {
  const asked = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ path: 'src/a b.go', text: 'one\ntwo\nthree\n' }));
  draw(bench(), <Work work={{ content: { kind: 'markdown', text: 'See [`a b.go:2`](<./src/a%20b.go#L2>).' } }} />);
  await vi.waitFor(() => $('.file-link').click());
  await vi.waitFor(() => expect(texts('dialog .in-area')).toEqual(['two']));
  expect(asked).toHaveBeenCalledWith('/v1/files/src/a%20b.go', expect.anything());
  expect(fileLink('./x/y.go#L12')).toEqual({ path: 'x/y.go', area: [12, 12] });
  asked.mockRestore();
});

it('documents are shown by type', () => {
  expect(documentContent('# A', { mime: 'text/markdown' }).kind).toBe('markdown');
  expect(documentContent('{"a":1}', { title: 'a.json' })).toEqual({ kind: 'json', value: { a: 1 }, source: '{"a":1}' });
  expect(documentContent('{broken', { title: 'a.json' })).toMatchObject({ kind: 'file' });
  expect(documentContent('\x1b[31mred', {})).toMatchObject({ kind: 'terminal', out: [{ text: 'red' }] });
  expect(documentContent('words', { title: 'Notes' })).toEqual({ kind: 'text', text: 'words' });
  expect(comparedContent('a', 'a', {})).toMatchObject({ files: [{ hunks: [] }] });
});

describe('size', () => {
  it('a log of 200,000 lines is rendered in part; the rest is shown on request, and rendered when nearly visible', () => {
    const onWhole = vi.fn();
    draw(bench(), <Work work={{ content: { kind: 'text', text: 'line\n'.repeat(200_000) } }} onWhole={onWhole} />);
    expect(document.querySelectorAll('.out-line')).toHaveLength(1000);
    fireEvent.click(screen.getByText('Show the rest (199,000 lines)'));
    expect(document.querySelectorAll('.work-block')).toHaveLength(1000);
    expect(document.querySelectorAll('.out-line')).toHaveLength(2000);
    expect(onWhole).not.toHaveBeenCalled();
  });

  it('a line of a megabyte is rendered in parts', () => {
    draw(bench(), <Work work={{ content: { kind: 'text', text: 'x'.repeat(1_000_000) } }} />);
    expect($('.out-line').textContent!.length).toBeLessThan(9000);
    fireEvent.click(screen.getByText(/show more of this line/));
    expect($('.out-line').textContent!.length).toBeGreaterThan(70_000);
  });

  it('content counts as read once it has been displayed completely or opened at full size; truncated content never does', async () => {
    const onWhole = vi.fn();
    draw(bench(), <CallWork call={edit} onWhole={onWhole} />);
    expect(onWhole).toHaveBeenCalledOnce();
    cleanup();
    onWhole.mockClear();
    draw(bench(), <CallWork call={{ tool: 'exec', args: { command: 'x\n'.repeat(2000) } }} onWhole={onWhole} />);
    expect(onWhole).not.toHaveBeenCalled();
    fireEvent.click(screen.getByText('Open it at full size'));
    await waitFor(() => expect(onWhole).toHaveBeenCalledOnce());
    cleanup();
    onWhole.mockClear();
    draw(bench(), <CallWork call={{ tool: 'exec', args: { command: 'x', truncated: true } }} onWhole={onWhole} />);
    fireEvent.click(screen.getByLabelText('Full size'));
    expect(onWhole).not.toHaveBeenCalled();
  });
});

it('full size fills the window and keeps keys away from the office', async () => {
  draw(bench(), <CallWork call={edit} />);
  const heard = vi.fn();
  addEventListener('keydown', heard);
  fireEvent.click(screen.getByLabelText('Full size'));
  const full = await screen.findByRole('dialog');
  fireEvent.keyDown(full.querySelector('.work-body')!, { key: 'n' });
  expect(full.querySelector('.here')).toBeTruthy();
  expect(heard).not.toHaveBeenCalled();
  removeEventListener('keydown', heard);
  fireEvent.click(screen.getByLabelText('Close'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('/ searches everything, including rows not rendered yet', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => (i % 9000 === 8999 ? `line ${i} Error` : `line ${i}`)).join('\n');
  draw(bench(), <Work work={{ content: { kind: 'text', text } }} tall />);
  expect(screen.queryByText('line 17999 Error')).toBeNull();
  fireEvent.keyDown($('.work-body'), { key: '/' });
  const field = screen.getByLabelText('Find in this text');
  fireEvent.input(field, { target: { value: 'error' } });
  expect($('.work-search').textContent).toBe('1 of 2');
  expect($('.here').textContent).toBe('line 8999 Error');
  fireEvent.keyDown(field, { key: 'Enter' });
  expect($('.here').textContent).toBe('line 17999 Error');
  fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByLabelText('Find in this text')).toBeNull());
});

it('copies the text unchanged', async () => {
  const writeText = vi.fn(() => Promise.resolve());
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  draw(bench(), <CallWork call={{ tool: 'exec', args: { command: 'ls' }, result: { stdout: 'a\u202Eb' } }} />);
  fireEvent.click(screen.getByLabelText('Copy'));
  await waitFor(() => expect(writeText).toHaveBeenCalledWith('$ ls\na\u202Eb'));
});
