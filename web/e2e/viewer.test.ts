import type { Page } from '@playwright/test';
import { findings } from './axe.ts';
import { expect, test } from './fixture.ts';
import { Session } from './guest.ts';

test.use({ crew: 'none' });

const before = `export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}
`;
const after = `export function total(items: Item[], tax = 0.19): number {
  let sum = 0;
  for (const item of items) sum += item.price * item.count;
  return Math.round(sum * (1 + tax));
}
`;
const edit = { file_path: '/home/dev/shop/src/cart.ts', old_string: before, new_string: after, replace_all: false };
const output = '\x1b[1;32mPASS\x1b[0m src/cart.test.ts\n\x1b[31mFAIL\x1b[0m src/<b>tax</b>.test.ts\n 10%\r 55%\r100%\n\x1b]0;gone\x07\x1b[38;5;208m3 passed\x1b[0m, \x1b[7m1 failed\x1b[0m';

const panels = (page: Page, name: string) => page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: new RegExp(`^${name}`) });

test('a requested edit is a diff, in the card and at full size, and keys step through it', async ({ server, another }) => {
  const session = new Session(server, '/home/dev/shop');
  await session.start('Add the tax to the cart');
  const answered = session.askFor('Edit', edit);
  const operator = await another('?quality=test&motion=reduced', server.operatorLink);
  const { page, need } = operator;
  await expect(need.getByRole('table', { name: 'src/cart.ts' })).toBeVisible();
  await expect(need).toContainText('src/cart.ts');
  await expect(need).toContainText('+3−3');
  await expect(need.locator('.removed .diff-text').first()).toHaveText('export function total(items: Item[]): number {');
  await expect(need.locator('.added .changed-word').first()).toHaveText(', tax = 0.19');
  await expect(need.locator('.code-word').first()).toBeVisible();
  expect(await findings(page), 'by day').toEqual([]);

  await need.getByRole('button', { name: 'Full size' }).focus();
  await page.keyboard.press('Enter');
  const full = page.getByRole('dialog');
  await expect(full.locator('.diff-split')).toBeVisible();
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await expect(full.locator('.here')).toContainText('sum += item.price');
  await page.keyboard.press('p');
  await expect(full.locator('.here')).toContainText('total(items');
  expect(await findings(page), 'full size').toEqual([]);
  await page.keyboard.press('Escape');
  await expect(full).toHaveCount(0);
  await expect(need.getByRole('button', { name: 'Full size' })).toBeFocused();
  expect((await server.state()).decisions[0]!.status, 'no key of the viewer answers').toBe('open');

  await operator.open(server.url, '?quality=test&motion=reduced&theme=night');
  await expect(need.locator('.code-word').first()).toBeVisible();
  expect(await findings(page), 'by night').toEqual([]);
  await need.getByRole('button', { name: 'Allow once' }).click();
  expect(await (await answered).text()).toContain('"behavior":"allow"');
});

test('a requested command is shown completely; its output has colours, and results have line numbers', async ({ server, another }) => {
  const session = new Session(server, '/home/dev/shop');
  await session.start('Run the tests');
  const command = `npm test -- --run \\\n  --reporter=verbose && echo '\u202Edone'`;
  const answered = session.askFor('Bash', { command, description: 'Run the tests', timeout: 60_000 });
  const { page, need } = await another('?quality=test&motion=reduced', server.operatorLink);
  await expect(need.locator('.command')).toContainText('--reporter=verbose');
  await expect(need).toContainText('timeout');
  await need.getByRole('button', { name: 'Allow once' }).click();
  await answered;
  await session.tool('toolu_1', 'Bash', { command: 'npm test' });
  await session.done('toolu_1', 'Bash', { command: 'npm test' }, { stdout: output, stderr: '', interrupted: false });
  await session.tool('toolu_2', 'Edit', edit);
  const patch = [{ oldStart: 40, oldLines: 1, newStart: 40, newLines: 1, lines: [' export', '-  let sum = 0;', '+  let sum = 1;', ' }'] }];
  await session.done('toolu_2', 'Edit', edit, { filePath: edit.file_path, structuredPatch: patch });

  await panels(page, 'Activity').click();
  const activity = page.getByRole('region', { name: 'Activity' });
  await activity.getByRole('button', { name: /npm test/ }).first().click();
  const out = activity.getByRole('group', { name: 'stdout' });
  await expect(out).toContainText('PASS src/cart.test.ts');
  await expect(out).toContainText('<b>tax</b>');
  await expect(out).toContainText('100%');
  await expect(out).not.toContainText('55%');
  await expect(out).not.toContainText('gone');
  await expect(out.locator('.sgr-bold')).toHaveText('PASS');
  await expect(activity).toContainText('2.1 s');
  const red = await out.getByText('FAIL', { exact: true }).evaluate((el) => getComputedStyle(el).color);
  expect(red).not.toBe(await out.evaluate((el) => getComputedStyle(el).color));

  await activity.getByRole('button', { name: /cart\.ts/ }).first().click();
  await expect(activity.locator('.removed .diff-no').first()).toHaveAttribute('data-no', '41');
  expect(await findings(page), 'activity').toEqual([]);
});

test('a command too long for the card can be allowed only after it has been opened at full size', async ({ server, another }) => {
  const session = new Session(server, '/home/dev/shop');
  await session.start('Clean up');
  const command = Array.from({ length: 2000 }, (_, i) => `rm -f f${i}`).join('\n');
  const answered = session.askFor('Bash', { command });
  const { page, need } = await another('?quality=test&motion=reduced', server.operatorLink);
  await expect(need.getByRole('button', { name: 'Open it at full size' })).toBeVisible();
  await expect(need.getByRole('button', { name: 'Allow once' })).toBeDisabled();
  await need.getByRole('button', { name: 'Open it at full size' }).click();
  await expect(page.getByRole('dialog').getByText('rm -f f1999')).toBeAttached();
  await page.keyboard.press('Escape');
  await need.getByRole('button', { name: 'Allow once' }).click();
  expect(await (await answered).text()).toContain('"behavior":"allow"');
});
