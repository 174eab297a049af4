import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HudNode } from '../../hud/tree.ts';
import { bench, draw } from '../testing.tsx';
import { CallView } from './call_view.tsx';
import { Tree } from './tree.tsx';
import { wholePath } from './whole_result.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const text = () => document.body.textContent;
const file = { path: '/home/me/shop/src/cart.ts', viewerPath: 'shop/src/cart.ts' };

describe('results in the shapes of the HUD protocol', () => {
  it.each<[string, string, Record<string, unknown>, string[]]>([
    ['read', 'read', { ok: true, file, area: { startLine: 10, endLine: 50 }, text: 'const a = 1', bytes: 2048, truncated: false }, ['shop/src/cart.ts', 'L10–L50', '2.0 kB', 'const a = 1']],
    ['edit', 'edit', { ok: true, file, diff: '@@ -1,1 +1,1 @@\n-a\n+b\n' }, ['shop/src/cart.ts', '+1', '−1']],
    ['exec', 'exec', { ok: false, exitCode: 2, stdout: 'out', stderr: 'bad', truncated: false, error: 'exit code 2', mentionedPaths: [file, { path: 'log/x' }] }, ['exit code 2', '1.5 s', 'out', 'bad', 'shop/src/cart.ts', 'log/x']],
    ['exec without a code', 'exec', { ok: true, exitCode: -1, stdout: 'x', truncated: false }, ['exit code unknown']],
    ['web', 'web_fetch', { ok: true, text: 'Rye bread', url: 'https://bread.example', truncated: true }, ['https://bread.example', 'Rye bread', 'The rest was not stored.']],
    ['browser', 'browser', { ok: true, summary: 'Clicked Buy', raw: { tabs: [1] } }, ['Clicked Buy', 'tabs']],
    ['other', 'mcp__x', { ok: false, raw: 'plain words', error: 'It broke' }, ['plain words', 'It broke']],
    ['strange', 'mcp__x', { ok: true, file: 7, area: [], mentionedPaths: 'x', exitCode: 'y', future: { a: 1 } }, ['future']],
  ])('%s is readable', (_, tool, result, words) => {
    draw(bench(), <CallView call={{ tool, args: tool === 'exec' ? { command: 'x' } : undefined, result }} took={1500} />);
    for (const one of words) expect(text()).toContain(one);
  });

  it('shows an exit code once, and marks redacted text', () => {
    draw(bench(), <CallView call={{ tool: 'exec', args: {}, result: { ok: false, exitCode: 2, stdout: 'token=[redacted] [redacted]', error: 'exit code 2' } }} took={undefined} />);
    expect(text()!.match(/exit code 2/g)).toHaveLength(1);
    expect(document.querySelectorAll('mark.redacted')).toHaveLength(2);
  });
});

describe('files in a result', () => {
  const result = { ok: true, file: { ...file, area: { startLine: 2, endLine: 3 } }, area: { startLine: 2, endLine: 3 }, text: 'b\nc', bytes: 3, truncated: false };
  const answer = (status: number, body: object) => vi.fn(() => Promise.resolve(new Response(JSON.stringify(body), { status })));

  it('open at their lines, found by the path that the agent recorded', async () => {
    const read = answer(200, { path: 'src/cart.ts', text: 'a\nb\nc\nd\n' });
    vi.stubGlobal('fetch', read);
    draw(bench(), <CallView call={{ tool: 'read', args: {}, result }} took={undefined} agent="agent_a" />);
    fireEvent.click(screen.getByText('Open file'));
    await waitFor(() => expect(document.querySelectorAll('dialog .in-area').length).toBe(2));
    expect(read).toHaveBeenCalledWith('/v1/files?agent=agent_a&path=%2Fhome%2Fme%2Fshop%2Fsrc%2Fcart.ts', { credentials: 'same-origin' });
    expect(document.querySelector('dialog')!.textContent).toContain('shop/src/cart.tsL2–L3');
  });

  it('of a command can be opened too; hidden ones are counted, and viewers get no links', async () => {
    vi.stubGlobal('fetch', answer(404, { message: 'no such file in a workspace' }));
    const office = bench();
    const exec = { ok: true, exitCode: 0, stdout: '', truncated: false, mentionedPaths: [file] };
    draw(office, <CallView call={{ tool: 'exec', args: { command: 'x' }, result: exec }} took={undefined} agent="agent_a" />);
    fireEvent.click(screen.getByRole('button', { name: 'shop/src/cart.ts' }));
    await waitFor(() => expect(office.shell.toasts.value.map((t) => t.text)).toEqual(['no such file in a workspace']));
    expect(document.querySelector('dialog')).toBeNull();
    cleanup();
    office.store.access.value = 'viewer';
    draw(office, <CallView call={{ tool: 'read', args: {}, result }} took={undefined} agent="agent_a" />);
    expect(screen.queryByText('Open file')).toBeNull();
  });
});

describe('the full result', () => {
  const cut = { ok: true, text: 'begin', truncated: true, ref: '/v1/hud/0b7e-1/result' };

  it('is loaded on request, only from the server’s own path', async () => {
    const read = vi.fn(() => Promise.resolve(new Response(JSON.stringify({ id: '0b7e-1', result: { ok: true, text: 'begin and end', truncated: false } }))));
    vi.stubGlobal('fetch', read);
    draw(bench(), <CallView call={{ tool: 'web_fetch', args: {}, result: cut }} took={undefined} />);
    expect(read).not.toHaveBeenCalled();
    fireEvent.click(screen.getByText('Show the whole result'));
    await waitFor(() => expect(text()).toContain('begin and end'));
    expect(read).toHaveBeenCalledWith('/v1/hud/0b7e-1/result', { credentials: 'same-origin' });
    expect(screen.queryByText('Show the whole result')).toBeNull();
    for (const ref of ['https://evil.example/v1/hud/1/result', '//evil.example', '/v1/hud/../x/result', '/v1/hud/1/result?x', 7]) expect(wholePath({ ref })).toBeNull();
  });

  it('shows when it is not available, and can be requested again', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 404 })));
    draw(bench(), <CallView call={{ tool: 'web_fetch', args: {}, result: cut }} took={undefined} />);
    fireEvent.click(screen.getByText('Show the whole result'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('404'));
    expect(screen.getByText('Show the whole result')).toBeTruthy();
  });
});

it('a turn shows its usage; the number of rows is a setting', async () => {
  const node = (id: string, more: Partial<HudNode> = {}): HudNode => ({ id, type: 'turn', state: 'done', label: 'Turn', startedAt: 0, durationMs: 210, children: [], replay: false, ...more });
  const office = bench();
  const view = draw(office, <Tree nodes={Array.from({ length: 120 }, (_, i) => node(String(i), { usage: { tokens_in: 1200, tokens_out: 90 } }))} />);
  expect(text()).toContain('1.2k in · 90 out · cost unknown');
  expect(view.container.querySelectorAll('.node')).toHaveLength(50);
  expect(text()).toContain('70 older rows are hidden');
  office.settings.rows.value = '100';
  await waitFor(() => expect(view.container.querySelectorAll('.node')).toHaveLength(100));
});

it('a message shows how it begins', () => {
  draw(bench(), <Tree nodes={[{ id: 'a', type: 'received', subtype: 'message', state: 'done', label: 'message received', args: { preview: 'Fix the cart' }, startedAt: 0, children: [], replay: false }]} />);
  expect(text()).toContain('“Fix the cart”');
});
