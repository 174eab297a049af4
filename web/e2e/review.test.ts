import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import * as say from '../src/contracts/words.gen.ts';
import { findings } from './axe.ts';
import { Desk } from './desk.ts';
import { expect, test as office } from './fixture.ts';
import { startServer } from './server.ts';
import { openShop, type Shop } from './shop.ts';

const test = office.extend<{ shop: Shop }>({
  shop: async ({ pace: _ }, use) => {
    const shop = await openShop();
    await use(shop);
    await shop.stop();
  },

  server: async ({ shop }, use) => {
    const server = await startServer(['--pace', '60', '--config', shop.config]);
    await use(server);
    await server.stop();
  },

  desk: async ({ page, server, offences: _ }, use) => {
    await page.context().request.get(server.operatorLink);
    const desk = new Desk(page);
    await desk.open(server.url);
    await use(desk);
  },
});

test('a patch is requested, reviewed by an agent and by a person, sent back, compared, approved and landed', async ({ desk, page, server, shop }) => {
  const viewer = page.getByRole('dialog', { name: /^Deliverable/ });
  const open = async (version: string) => {
    await expect(desk.need).toContainText(version);
    await desk.need.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(viewer.getByRole('region', { name: 'Changes' })).toBeVisible();
  };
  await page.getByRole('combobox', { name: 'Repository' }).selectOption('shop');
  await acceptByKeyboard(page, 'A file exists', '../cart.ts', 'src/cart.ts');
  await desk.submitRequest('Count the items of a cart');

  await open('v1');
  await expect(viewer.getByRole('button', { name: 'PROVEN' })).toBeVisible();
  await expect(viewer.locator('.patch-file')).toHaveText([/package-lock\.json\+1−0/, /src\/cart\.ts\+2−1/]);
  await expect(viewer.getByText('generated', { exact: true })).toBeVisible();
  await expect(viewer.locator('.code-word').filter({ hasText: 'return' }).first()).toBeVisible();
  await viewer.getByRole('button', { name: say.askReview }).click();
  await expect(viewer.getByRole('list', { name: 'Reviews by agents' })).toContainText(/local, model-a\) reviewed it: 1 finding.*One remark\./);
  await expect(viewer.locator('.finding')).toContainText(/problem.*Half a cent is lost\./);
  expect(await findings(page), 'a patch with a finding').toEqual([]);
  await commentByKeyboard(page, 'Round the total.');
  await viewer.getByRole('button', { name: say.requestChanges }).click();
  await expect(viewer.getByText(say.commentsSent(1))).toBeVisible();
  await viewer.getByRole('checkbox', { name: say.sendFindings }).check();
  await viewer.getByRole('button', { name: 'Send back' }).click();
  await page.keyboard.press('Escape');

  await open('v2');
  await viewer.getByRole('button', { name: 'Changes since v1' }).click();
  const changes = viewer.getByRole('table', { name: 'Version 1 compared with version 2' });
  await expect(changes.getByRole('row', { name: /added .*Math\.round\(total\)/ })).toBeVisible();
  await expect(changes, 'what did not change between the versions').not.toContainText('count: number');
  await viewer.getByRole('button', { name: 'PROVEN' }).click();
  await expect(viewer.getByRole('region', { name: 'Receipt' })).toContainText('accept: file: src/cart.tspassed');
  await expect(viewer.getByRole('region', { name: 'Receipt' })).toContainText('unitgrep -n "price \\* item.count" src/cart.tspassed');
  expect(await findings(page), 'versions and a receipt').toEqual([]);
  await viewer.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await server.state()).tasks[0]!.status).toBe('done');

  await desk.open(server.url, '?quality=test&motion=reduced&theme=night');
  await desk.project.getByRole('button', { name: 'PROVEN', exact: true }).click();
  const receipt = page.getByRole('dialog').getByRole('region', { name: say.receipt });
  await receipt.getByRole('button', { name: say.dryRun, exact: true }).click();
  await expect(receipt).toContainText(say.dryRunPassed('main'));
  expect(shop.git('log', '--format=%s', 'main'), 'after a dry run').toBe('first');
  expect(await findings(page), 'landing, at night').toEqual([]);
  await writeFile(join(shop.dir, 'NOTES.md'), 'Prices are in cents.\n');
  shop.git('add', '--all');
  shop.git('commit', '--quiet', '-m', 'second');
  await receipt.getByRole('button', { name: 'Squash' }).click();
  await expect(receipt).toContainText('main had new commits');
  await page.keyboard.press('Escape');

  await open('v3');
  await viewer.getByRole('button', { name: 'Changes since v2' }).click();
  await expect(viewer.getByText(say.otherBase)).toBeVisible();
  await expect(viewer.getByRole('table', { name: 'Version 2 compared with version 3' })).toContainText('Prices are in cents.');
  await viewer.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await server.state()).tasks[0]!.status).toBe('done');
  await desk.open(server.url);
  await desk.project.getByRole('button', { name: 'Open the task board' }).click();
  await page.getByRole('button', { name: 'PROVEN', exact: true }).click();
  await receipt.getByRole('button', { name: 'Squash' }).click();
  await expect(receipt).toContainText(say.landed('main', ''));
  expect(shop.git('show', 'main:src/cart.ts')).toContain('Math.round(total)');
  expect(shop.git('show', 'main:NOTES.md')).toContain('Prices');
});

/** Adds an acceptance check with the keyboard: first with a value that the office refuses, then with a valid one. */
async function acceptByKeyboard(page: Page, label: string, refused: string, good: string): Promise<void> {
  await page.getByRole('button', { name: say.howDone }).press('Enter');
  await page.getByRole('button', { name: label, exact: true }).press('Enter');
  await expect(page.getByRole('textbox', { name: label })).toBeFocused();
  await page.keyboard.type(refused);
  expect(await findings(page), 'a request with an acceptance check').toEqual([]);
  await page.getByRole('textbox', { name: 'Ask the office for anything' }).fill('Count the items of a cart');
  await page.keyboard.press('Enter');
  await expect(page.locator('.request').getByRole('alert')).toContainText(`acceptance check "file: ${refused}": use the path of a file in the repository`);
  await page.getByRole('textbox', { name: label }).fill(good);
}

/** Opens the patch at full size, which shows it side by side, and comments on a changed line with the keyboard. */
async function commentByKeyboard(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Full size' }).click();
  const full = page.locator('.work-full');
  await expect(full.locator('.diff-split')).toBeVisible();
  for (const key of ['j', 'c']) await page.keyboard.press(key);
  await expect(full.getByRole('textbox', { name: say.commentOn('src/cart.ts:4') })).toBeFocused();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await expect(full.getByText(text)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(full).toHaveCount(0);
}
