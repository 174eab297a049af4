import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CheckResult, Task } from '../../contracts/protocol.gen.ts';
import { ArtifactDialog } from '../artifact/artifact_dialog.tsx';
import { TaskCard } from '../board/task_card.tsx';
import { TaskLine } from '../board/task_line.tsx';
import { Dialogs } from '../frame/dialogs.tsx';
import { RequestBar } from '../frame/request_bar.tsx';
import { artifact, bench, draw, task } from '../testing.tsx';
import { checkRows } from './check_words.ts';
import * as say from '../../contracts/words.gen.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

// contracts/outcome_test.go runs the same cases.
const outcomes = JSON.parse(readFileSync('../contracts/vectors/outcomes.json', 'utf8')) as { result: Partial<CheckResult>; tree: string; want: string }[];
const [tree, other] = ['a'.repeat(40), 'b'.repeat(40)];
const result = (name: string, more: Partial<CheckResult> = {}): CheckResult => ({ name, command: `make ${name}`, end: 'exited', exit_code: 0, tree, tree_after: tree, started: 1, duration_ms: 2100, ...more });
const checks = ['test', 'lint'].map((name) => ({ name, command: `make ${name}` }));
const proven = (more: Partial<Task> = {}) =>
  task('task_a', { status: 'done', tree, verdict: 'proven', worktree: { repo: 'shop', dir: '/w', branch: 'bullpen/a', base: other, target: 'main', checks }, checks: [result('test'), result('lint')], ...more });

describe('a verdict', () => {
  it('is a badge with a word, and one click shows the receipt', () => {
    const office = bench({ tasks: [proven({ checks: [result('test')], verdict: 'partly' })] });
    draw(office, <><TaskCard task={office.store.tasks.value[0]!} /><Dialogs /></>);
    fireEvent.click(screen.getByText('PARTLY'));
    const receipt = screen.getByRole('region', { name: 'Receipt' });
    expect(receipt.textContent).toContain('Verdict: PARTLY.');
    expect(receipt.textContent).toContain('Files: tree aaaaaaaa, from commit bbbbbbbb');
    expect([...receipt.querySelectorAll('.receipt-check')].map((el) => el.textContent)).toEqual([expect.stringContaining('testmake testpassed2.1 s · tree aaaaaaaa'), 'lintmake linthas not run']);
  });

  it('on the line of a task shows the receipt, and the rest of the line opens the board', () => {
    const office = bench({ tasks: [proven()] });
    draw(office, <><TaskLine task={office.store.tasks.value[0]!} /><Dialogs /></>);
    fireEvent.click(screen.getByText('PROVEN'));
    expect(screen.getByRole('region', { name: 'Receipt' }).textContent).toContain('Verdict: PROVEN.');
    expect(office.shell.board.value).toBe(false);
    fireEvent.click(screen.getByText(proven().title, { selector: '.task-open *' }));
    expect(office.shell.board.value).toBe(true);
  });

  it('is shown with the version that has these files, not with earlier ones', () => {
    const versions = [artifact({ task_id: 'task_a', tree: other, status: 'superseded' }), artifact({ artifact_id: 'art_b', version: 2, parent: 'art_a', task_id: 'task_a', tree })];
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('')));
    draw(bench({ tasks: [proven()], artifacts: versions }), <ArtifactDialog id="art_b" />);
    expect(screen.getByText('PROVEN')).toBeTruthy();
    fireEvent.click(screen.getByText('v1'));
    expect(screen.queryByText('PROVEN')).toBeNull();
  });

  it('says why checks did not run', () => {
    const unproven = result('test', { end: 'not_run', exit_code: -1, reason: 'There is a repository inside: lib.' });
    const office = bench({ tasks: [proven({ verdict: 'only_said', checks: [unproven] })] });
    draw(office, <TaskCard task={office.store.tasks.value[0]!} />);
    expect(screen.getByText('ONLY SAID').title).toBe('No required check ran on these files. There is a repository inside: lib. Click for the receipt.');
  });

  it.each(outcomes)('has a check that $want', ({ result: recorded, tree: files, want }) => {
    const row = checkRows(proven({ tree: files, checks: [result('test', { tree_after: '', ...recorded })] })).find((r) => r.result)!;
    expect(row.words).toBe(want);
    expect(row.good).toBe(want === 'passed' || want === 'passed in the pull request');
  });
});

it('the output of a check is one click away', async () => {
  const refusal = Response.json({ code: 'NOT_FOUND', message: 'The check lint printed nothing.' }, { status: 404 });
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(path.includes('lint') ? refusal : new Response(`from ${path}`)));
  const office = bench({ tasks: [proven({ checks: [result('test', { log_sha256: tree }), result('lint', { log_sha256: other })] })] });
  office.shell.dialog.value = { kind: 'receipt', taskId: 'task_a' };
  draw(office, <Dialogs />);
  for (const button of screen.getAllByText('Output')) fireEvent.click(button);
  await waitFor(() => expect(screen.getByLabelText('Output of test').textContent).toBe('from /v1/tasks/task_a/checks/test/output'));
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('The office could not send the output: The check lint printed nothing.'));
});

it('a check of the pull request is distinguished from the office’s check with the same name', () => {
  const hosted = (more: Partial<CheckResult>) => result('test', { command: 'https://example.org/pull/1', by: 'pull_request', ...more });
  const rows = (more: Partial<CheckResult>) => checkRows(proven({ checks: [hosted(more)] })).map((row) => [row.good, row.words]);
  const notRun = [false, 'has not run'];
  expect(rows({})).toEqual([notRun, notRun, [true, 'passed in the pull request']]);
  expect(rows({ exit_code: 1 })).toEqual([notRun, notRun, [false, 'failed in the pull request']]);
  expect(rows({ tree: other, tree_after: other })).toEqual([notRun, notRun, [false, 'passed in the pull request, but on other files']]);
});

describe('landing', () => {
  const open = (t: Task) => {
    const office = bench({ tasks: [t] });
    office.store.permit.value = true;
    office.shell.dialog.value = { kind: 'receipt', taskId: 'task_a' };
    draw(office, <Dialogs />);
    return office;
  };

  it('takes one click once the work is approved and proven', async () => {
    const office = open(proven());
    fireEvent.click(screen.getByText('Squash'));
    await waitFor(() => expect(office.sent).toEqual([['land_task', { task_id: 'task_a', how: 'squash' }]]));
  });

  it('can be a pull request, whose address is shown while it is open', async () => {
    const office = open(proven());
    fireEvent.click(screen.getByText('Pull request'));
    await waitFor(() => expect(office.sent).toEqual([['land_task', { task_id: 'task_a', how: 'pull_request' }]]));
    cleanup();
    const url = 'https://example.org/pull/1';
    open(proven({ landing: { number: 1, how: 'pull_request', tree, status: 'open', pull_request: { remote: 'https://example.org', url, head: other } } }));
    expect(screen.getByRole<HTMLAnchorElement>('link', { name: url }).href).toBe(url);
    expect(screen.queryByText('Merge')).toBeNull();
  });

  it('of unproven work needs another click, and shows a refusal', async () => {
    const office = open(proven({ verdict: 'only_said', checks: [] }));
    office.answer = { ok: false, code: 'CONFLICT', message: 'It is being landed now.' };
    fireEvent.click(screen.getByText('Merge'));
    expect(office.sent).toEqual([]);
    fireEvent.click(screen.getByLabelText('Land it even though it is not proven'));
    fireEvent.click(screen.getByText('Merge'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('It is being landed now.'));
    expect(office.sent).toEqual([['land_task', { task_id: 'task_a', how: 'merge', accept_unproven: true }]]);
  });

  it('can be tried without changing anything, even if the work is not proven', async () => {
    const office = open(proven({ verdict: 'only_said', checks: [] }));
    fireEvent.click(screen.getByText('Dry run'));
    await waitFor(() => expect(office.sent).toEqual([['land_task', { task_id: 'task_a', how: 'merge', dry_run: true }]]));
    cleanup();
    open(proven({ landing: { number: 1, how: 'merge', dry_run: true, tree, status: 'requested' } }));
    expect(screen.getByText('Dry run…')).toBeTruthy();
    cleanup();
    open(proven({ landing: { number: 1, how: 'merge', dry_run: true, tree, status: 'checked', target: 'main' } }));
    expect(screen.getByRole('status').textContent).toBe('Dry run: the work can be landed in main.');
    expect(screen.getByText('Merge')).toBeTruthy();
    cleanup();
    open(proven({ landing: { number: 1, how: 'merge', dry_run: true, tree, status: 'failed', reason: 'Conflicts:', conflicts: ['a.go'] } }));
    expect(screen.getByRole('alert').textContent).toContain('Dry run: the work cannot be landed. Conflicts: a.go');
  });

  it('as a pull request can be tried, and shows where it would be pushed', async () => {
    const office = open(proven());
    fireEvent.click(screen.getByText('Dry run of a pull request'));
    await waitFor(() => expect(office.sent).toEqual([['land_task', { task_id: 'task_a', how: 'pull_request', dry_run: true }]]));
    const remote = 'https://example.org/shop.git';
    const url = 'https://example.org/shop/pull/1';
    for (const [pull, words] of [[{ remote }, 'as a new pull request against main.'], [{ remote, url }, `as an update to ${url}.`]] as const) {
      cleanup();
      open(proven({ landing: { number: 1, how: 'pull_request', dry_run: true, tree, status: 'checked', target: 'main', pull_request: pull } }));
      expect(screen.getByRole('status').textContent).toBe(`Dry run: the work can be pushed to ${remote} ${words}`);
    }
  });

  it('updates an open pull request once the task has other files', async () => {
    const landing = { number: 1, how: 'pull_request', status: 'open', reason: 'pull request checks failed: CI / test', pull_request: { remote: 'https://example.org', url: 'https://example.org/1' } } as const;
    open(proven({ landing: { ...landing, tree } }));
    expect(screen.getByText(landing.reason)).toBeTruthy();
    expect(screen.queryByText('Update the pull request')).toBeNull();
    cleanup();
    const office = open(proven({ landing: { ...landing, tree: other } }));
    fireEvent.click(screen.getByText('Update the pull request'));
    await waitFor(() => expect(office.sent).toEqual([['land_task', { task_id: 'task_a', how: 'pull_request' }]]));
  });

  it('is not offered before approval, while it is under way, or afterwards', () => {
    open(proven({ status: 'review' }));
    expect(screen.queryByText('Merge')).toBeNull();
    cleanup();
    open(proven({ landing: { number: 1, how: 'merge', tree, status: 'requested' } }));
    expect(screen.getByText('Landing…')).toBeTruthy();
    cleanup();
    open(proven({ landing: { number: 1, how: 'merge', tree, status: 'landed', target: 'main', commit: other } }));
    expect(screen.getByText('Landed in main as bbbbbbbb')).toBeTruthy();
    cleanup();
    open(proven({ landing: { number: 1, how: 'merge', tree, status: 'failed', reason: 'Conflicts:', conflicts: ['a.go'] } }));
    expect(screen.getByText('Not landed: Conflicts: a.go')).toBeTruthy();
    expect(screen.getByText('Merge')).toBeTruthy();
  });
});

it('a collision names the other task and the files', () => {
  const office = bench({ tasks: [task('task_a', { collisions: [{ task_ids: ['task_a', 'task_b'], paths: ['cart.ts'] }] }), task('task_b', { title: 'Round the sum' })] });
  draw(office, <TaskCard task={office.store.tasks.value[0]!} />);
  expect(screen.getByRole('note').textContent).toBe('“Round the sum” edits the same files: cart.ts');
});

it('a browser without operator access says why nothing can be landed', () => {
  const office = bench({ tasks: [proven()] });
  office.shell.dialog.value = { kind: 'receipt', taskId: 'task_a' };
  draw(office, <Dialogs />);
  expect(screen.getByRole('note').textContent).toMatch(/^Landing work requires operator access\. Run bullpen open/);
  expect(screen.getByText<HTMLButtonElement>('Merge').disabled).toBe(true);
});

it('a landing that failed because the target branch moved is explained while the new version waits', () => {
  const office = bench({ tasks: [proven({ status: 'review', landing: { number: 1, how: 'merge', tree, status: 'failed', reason: 'main had new commits' } })] });
  office.shell.dialog.value = { kind: 'receipt', taskId: 'task_a' };
  draw(office, <Dialogs />);
  expect(screen.getByRole('alert').textContent).toBe('Not landed: main had new commits');
  expect(screen.queryByText('Merge')).toBeNull();
});

it('an acceptance check is distinguished from a check that the repository defines', () => {
  const checks = [{ name: 'lint', command: 'make lint' }, { name: 'accept: make lint', command: 'make lint' }];
  const office = bench({ tasks: [proven({ worktree: { repo: 'shop', dir: '/w', branch: 'b', base: tree, checks }, checks: [] })] });
  office.shell.dialog.value = { kind: 'receipt', taskId: 'task_a' };
  draw(office, <Dialogs />);
  expect(screen.getAllByRole('listitem').map((row) => row.textContent)).toEqual(['lintmake linthas not run', 'accept: make linthas not run']);
});

describe('acceptance checks of a request', () => {
  const open = (permit = true) => {
    const office = bench();
    office.store.permit.value = permit;
    office.store.repos.value = [{ name: 'shop', path: '/src/shop' }];
    draw(office, <RequestBar />);
    expect(screen.queryByRole('button', { name: say.howDone })).toBeNull(); // no repository yet
    fireEvent.change(screen.getByLabelText('Repository'), { target: { value: 'shop' } });
    fireEvent.click(screen.getByRole('button', { name: say.howDone }));
    fireEvent.input(screen.getByLabelText('Ask the office for anything'), { target: { value: 'Fix it' } });
    return office;
  };
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

  it('are added, written, removed and sent', async () => {
    const office = open();
    press('A command succeeds');
    const command = screen.getByLabelText<HTMLInputElement>('A command succeeds');
    expect(document.activeElement).toBe(command);
    fireEvent.input(command, { target: { value: ' make lint ' } });
    press('A file exists');
    press('Remove: A file exists');
    expect(document.activeElement?.textContent).toBe('A file exists');
    for (const name of ['An agent finds no problem', 'A person approves it', 'An agent finds no problem']) press(name);
    expect(screen.getByRole('button', { name: 'A person approves it' }).getAttribute('aria-pressed')).toBe('true');
    fireEvent.submit(screen.getByRole('form'));
    await waitFor(() => expect(office.sent).toEqual([['submit_request', { text: 'Fix it', repo: 'shop', accept: ['cmd: make lint', 'person'], auto_assign: true }]]));
    await waitFor(() => expect(office.shell.request.accept.value).toEqual([]));
  });

  it('stay with the request if the office refuses them', async () => {
    const office = open();
    office.answer = { ok: false, code: 'VALIDATION_FAILED', message: 'acceptance check "file: ../a": use the path of a file in the repository' };
    press('A file exists');
    fireEvent.input(screen.getByLabelText('A file exists'), { target: { value: '../a' } });
    fireEvent.submit(screen.getByRole('form'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('use the path of a file in the repository'));
    expect(screen.getByLabelText<HTMLInputElement>('A file exists').value).toBe('../a');
  });

  it('are not sent without a repository', async () => {
    const office = open();
    press('A person approves it');
    fireEvent.change(screen.getByLabelText('Repository'), { target: { value: '' } });
    expect(screen.queryByText(say.howDone)).toBeNull();
    fireEvent.submit(screen.getByRole('form'));
    await waitFor(() => expect(office.sent).toEqual([['submit_request', { text: 'Fix it', auto_assign: true }]]));
  });

  it('need operator access', () => {
    open(false);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'A command succeeds' }).disabled).toBe(true);
    expect(screen.getByRole('note').textContent).toMatch(/^Adding acceptance checks requires operator access\./);
  });
});

it('a request names the chosen repository', async () => {
  const office = bench();
  office.store.repos.value = [{ name: 'shop', path: '/src/shop' }];
  draw(office, <RequestBar />);
  fireEvent.change(screen.getByLabelText('Repository'), { target: { value: 'shop' } });
  fireEvent.input(screen.getByLabelText('Ask the office for anything'), { target: { value: 'Fix it' } });
  fireEvent.submit(screen.getByRole('form'));
  await waitFor(() => expect(office.sent).toEqual([['submit_request', { text: 'Fix it', repo: 'shop', auto_assign: true }]]));
});
