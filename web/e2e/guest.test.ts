import type { Page } from '@playwright/test';
import { findings } from './axe.ts';
import { Desk } from './desk.ts';
import { expect, test } from './fixture.ts';
import { say, Session } from './guest.ts';

const panels = (page: Page, name: string) => page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: new RegExp(`^${name}`) });

test('a script appears with its first event, shows its progress, asks, and gets its answer', async ({ desk, page, server }) => {
  await say(server, 'status', 'nightly-build', 'Compiling the shop');
  await say(server, 'progress', 'nightly-build', { text: 'Compiling', percent: 33, eta_s: 210 });
  const workflows = page.getByRole('region', { name: 'From workflows' });
  await expect(workflows).toContainText('nightly-build: Compiling the shop');
  await expect(workflows.getByRole('progressbar')).toHaveAttribute('value', '33');
  await panels(page, 'People').click();
  await page.getByRole('button', { name: /nightly-build/ }).click();
  const panel = page.getByRole('region', { name: 'About nightly-build' });
  await expect(panel).toContainText('Script');
  await panel.getByRole('button', { name: 'Explain' }).click();
  await expect(panel.getByRole('list', { name: 'Evidence' })).toBeVisible();

  await say(server, 'ask', 'nightly-build', { prompt: 'Which colour?', options: ['Red', 'Green'], allow_free_text: true });
  await workflows.getByRole('button', { name: 'Answer' }).click();
  await expect(desk.need).toContainText('Which colour?');
  const id = (await server.state()).decisions.find((d) => d.prompt === 'Which colour?')!.decision_id;
  const answered = waitForDecision(`${server.url}/v1/decisions/${id}?wait=30s`);
  await desk.need.getByRole('textbox', { name: 'Your own answer' }).fill('Blue');
  await desk.need.getByRole('button', { name: 'Answer' }).click();
  expect((await answered).choice).toBe('Blue');
  await expect(desk.need).toHaveCount(0);
});

/** Polls the decision at url, as a script would, until it is no longer open; returns it. */
async function waitForDecision(url: string): Promise<{ status: string; choice: string }> {
  for (;;) {
    const row = (await (await fetch(url)).json()) as { status: string; choice: string };
    if (row.status !== 'open') return row;
  }
}

test('an event that displays nothing is listed with the reason', async ({ desk: _, page, server }) => {
  const reply = await fetch(`${server.url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: 'Abstract.Status', payload: 'x', agent: 'nightly-build' }) });
  expect(reply.ok).toBe(true);
  await panels(page, 'Events').click();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('ignored');
  const row = page.getByRole('region', { name: 'Events' }).getByRole('listitem').filter({ hasText: 'Abstract.Status' });
  await expect(row).toContainText('ignored');
  await row.getByRole('button').click();
  await expect(row).toContainText('raw');
});

test('a Claude Code session and its sub-agent appear with a thread between them, and explain their status', async ({ desk, page, server }) => {
  const session = new Session(server, '/home/dev/shop');
  await session.start('Make the cart tests pass');
  await session.tool('toolu_1', 'Bash', { command: 'npm test' });
  await session.hook('SubagentStart', { agent_id: 'a632d0e7f789acb92', agent_type: 'Explore' });
  await session.hook('PreToolUse', { agent_id: 'a632d0e7f789acb92', agent_type: 'Explore', tool_name: 'Grep', tool_input: { pattern: 'useCart' }, tool_use_id: 'toolu_2' });
  await expect.poll(async () => (await desk.rows()).agents!.filter((a) => a['source'] === 'claude').length).toBe(2);
  const [main, sub] = (await desk.rows()).agents!.filter((a) => a['source'] === 'claude').sort((a) => (a['parent_id'] ? 1 : -1));
  expect(sub!['parent_id']).toBe(main!['agent_id']);

  await panels(page, 'People').click();
  await page.getByRole('region', { name: 'People' }).getByRole('listitem').getByRole('button', { name: String(main!['name']) }).first().click();
  const panel = page.getByRole('region', { name: /^About/ });
  await expect(panel).toContainText('Claude Code');
  await expect(panel).toContainText('Working');
  await expect(panel.getByRole('button', { name: /npm test/ })).toBeVisible();
  await panel.getByRole('button', { name: 'Explain' }).click();
  await expect(panel.getByRole('list', { name: 'Evidence' })).toContainText('PreToolUse');
  for (const name of ['Stop', 'Kill', 'New session']) await expect(panel.getByRole('button', { name, exact: true })).toHaveCount(0);
  expect(await findings(page), 'the panel of a guest').toEqual([]);

  await session.hook('PostToolUse', { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'toolu_1', tool_response: { stdout: `first\n${'x'.repeat(40_000)}\nthe last line`, stderr: '', interrupted: false }, duration_ms: 900 });
  const node = panel.getByRole('button', { name: /npm test/ });
  await expect(node).toContainText('done');
  await node.click();
  await panel.getByRole('button', { name: 'Show the whole result' }).click();
  await expect(panel.getByLabel('stdout')).toContainText('the last line');

  await panel.getByRole('button', { name: /Explore/ }).click();
  await expect(page.getByRole('region', { name: /^About/ })).toContainText('Started by');
  await session.hook('SessionEnd', { reason: 'prompt_input_exit' });
  await expect(page.getByRole('region', { name: /^About/ })).toContainText('Offline');
});

test('a permission is answered only from a browser with the operator link (S4)', async ({ desk, page, server, another }) => {
  const session = new Session(server, '/home/dev/shop');
  await session.start('Publish it');
  const answer = session.ask('npm publish --otp=123456 --token npm_abcdefghijklmnopqrstuvwxyz0123456789');

  await expect(desk.need).toContainText('npm publish');
  await expect(desk.need).toContainText('redacted');
  await expect(desk.need).toContainText('left');
  await expect(desk.need.getByRole('note')).toContainText('bullpen open');
  for (const name of ['Allow once', 'Always allow', 'Deny']) await expect(desk.need.getByRole('button', { name })).toBeDisabled();
  expect(await findings(page), 'a permission without operator access').toEqual([]);
  // The keyboard cannot answer either: pressing Y shows the reason.
  await expect(async () => {
    await page.keyboard.press('Space');
    await expect(desk.need).toBeFocused({ timeout: 10_000 });
    await page.keyboard.press('y');
    await expect(page.getByRole('status').filter({ hasText: 'operator access' })).toBeVisible({ timeout: 1000 });
  }).toPass();

  const operator = await another('?quality=test&motion=reduced', server.operatorLink);
  await expect(operator.need.getByRole('note')).toHaveCount(0);
  expect(await findings(operator.page), 'a permission with operator access').toEqual([]);
  await operator.need.getByRole('button', { name: 'Allow once' }).click();
  const said = (await (await answer).json()) as { hookSpecificOutput: { decision: { behavior: string } } };
  expect(said.hookSpecificOutput.decision.behavior).toBe('allow');
  for (const one of [desk, operator]) await expect(one.need).toHaveCount(0);
});

test('a rule that "Always allow" added is listed in the settings and revoked there', async ({ server, another }) => {
  const operator = await another('?quality=test&motion=reduced', server.operatorLink);
  const session = new Session(server, '/home/dev/shop');
  await session.start('Publish it');
  const answer = session.ask('npm publish');
  await operator.need.getByRole('button', { name: 'Always allow' }).click();
  await answer;
  await panels(operator.page, 'Settings').click();
  const rules = operator.page.getByRole('region', { name: 'Always allowed' });
  await expect(rules).toContainText('npm publish in /home/dev/shop');
  expect(await findings(operator.page), 'the settings with a rule').toEqual([]);
  await rules.getByRole('button', { name: 'Revoke' }).click();
  await expect(rules).toContainText('No rules yet.');
  await expect.poll(async () => (await server.state()).rules ?? []).toEqual([]);
});

test('typed letters answer nothing; Y on the card does', async ({ server, another }) => {
  const operator = await another('?quality=test&motion=reduced', server.operatorLink);
  const session = new Session(server, '/home/dev/shop');
  await session.start('Publish it');
  const answer = session.ask('npm publish');
  await operator.requestBox.click();
  await operator.page.keyboard.type('yyyy nnnn');
  await expect(operator.need).toContainText('npm publish');
  await expect(operator.need.getByRole('button', { name: 'Deny' }), 'the card accepts answers now').toBeEnabled();
  await operator.page.keyboard.type('yn');
  await expect(operator.requestBox).toHaveValue('yyyy nnnnyn');
  await operator.page.keyboard.press('Escape');
  await operator.page.keyboard.press('n'); // does nothing while no card is focused
  await operator.page.keyboard.press('Space');
  await expect(operator.need).toBeFocused();
  await operator.page.keyboard.press('y');
  const said = (await (await answer).json()) as { hookSpecificOutput: { decision: { behavior: string } } };
  expect(said.hookSpecificOutput.decision.behavior, 'no earlier letter was the answer').toBe('allow');
});

test('a question that was answered elsewhere shows why its card disappears', async ({ page, server, offences: _ }) => {
  const desk = new Desk(page);
  await desk.open(server.url);
  // Collect the notices as they appear: each is shown for only a few seconds, and a slow machine might miss it.
  const told = await page.evaluateHandle(() => {
    const notices: string[] = [];
    const look = () => document.querySelectorAll('.withdrawn').forEach((el) => notices.push(el.textContent ?? ''));
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
    return notices;
  });
  const session = new Session(server, '/home/dev/shop');
  await session.start('Publish it');
  const gone = new AbortController();
  const answer = session.ask('npm publish', gone.signal).catch(() => null);
  await expect(desk.need).toContainText('npm publish');
  gone.abort();
  await answer;
  await expect(desk.need).toHaveCount(0);
  await expect.poll(() => told.evaluate((notices) => notices.join())).toMatch(/npm publish.*answered in the terminal/);
});

test('many guests fit in, and a reload shows the same state', async ({ desk, page, server, another }) => {
  const other = await another();
  for (let i = 0; i < 12; i++) await say(server, 'status', `worker-${i}`, `Step ${i}`);
  await expect.poll(async () => (await desk.rows()).agents!.filter((a) => a['source'] === 'ui' && a['status_line']).length).toBe(12);
  const shown = async (d: Desk) => (await d.rows()).agents!.map(({ evidence: _e, goal: _g, state: _s, ...rest }) => rest);
  await page.reload();
  await desk.waitUntilLive();
  // A client that saw every message has the same state as one that opened later.
  await expect(async () => expect(await shown(desk)).toEqual(await shown(other))).toPass();
  expect((await shown(desk)).filter((a) => a['source'] === 'ui' && a['status_line'])).toHaveLength(12);
  expect(await desk.page.evaluate(() => document.querySelectorAll('.node').length)).toBeLessThanOrEqual(50);
});
