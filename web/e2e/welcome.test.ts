import { mkdtemp, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as plain } from '@playwright/test';
import { findings } from './axe.ts';
import { Desk } from './desk.ts';
import { expect, test } from './fixture.ts';
import { say } from './guest.ts';
import { startServer, type Server } from './server.ts';

test('a newcomer finds an example request by keyboard, and the chips disappear', async ({ desk, page }) => {
  const chips = page.getByRole('list', { name: 'Examples' });
  await expect(chips.getByRole('button')).toHaveCount(4);
  await expect(page.getByText('This is a rehearsal: the crew follows a script and uses no model.')).toBeVisible();
  await desk.requestBox.focus();
  const first = chips.getByRole('button').first();
  const words = await first.textContent();
  await expect(async () => {
    await page.keyboard.press('Tab');
    await expect(first).toBeFocused({ timeout: 1 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(desk.requestBox).toHaveValue(words!);
  await expect(desk.requestBox).toBeFocused();
  await expect(chips).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(desk.requestBox).toHaveValue('');
  await expect.poll(async () => (await desk.rows())['projects']!.length).toBe(1);
  await expect(chips).toHaveCount(0);
  await expect(page.getByText('This is a rehearsal')).toHaveCount(0);
});

test.describe('the tab', () => {
  test.use({ crew: 'none' });

  test('shows the number of needs, in title and icon', async ({ desk, page, server }) => {
    const icon = page.locator('link[rel="icon"]');
    await expect(page).toHaveTitle('Cozy office');
    await expect(icon).toHaveAttribute('href', '/favicon.svg');
    await say(server, 'ask', 'nightly', { prompt: 'Deploy?', options: ['Yes', 'No'] });
    await expect(page).toHaveTitle('(1) Cozy office');
    await expect(icon).toHaveAttribute('href', /^data:image\/svg/);
    await desk.need.getByRole('button', { name: 'Yes' }).click();
    await expect(page).toHaveTitle('Cozy office');
    await expect(icon).toHaveAttribute('href', '/favicon.svg');
  });
});

const signing = plain.extend<{ home: string; office: Server }>({
  home: async ({ browserName: _ }, use) => {
    const home = await mkdtemp(join(tmpdir(), 'bullpen-home-'));
    await writeFile(join(home, 'claude'), "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
    await chmod(join(home, 'claude'), 0o755);
    await use(home);
    await rm(home, { recursive: true, force: true });
  },
  office: async ({ home }, use) => {
    const office = await startServer(['--require-token'], { HOME: home, CLAUDE_CONFIG_DIR: '', PATH: `${home}:${process.env['PATH']}`, OPENCLAW_GATEWAY_PORT: '1', OPENAI_BASE_URL: '' });
    await use(office);
    await office.stop();
  },
});

signing('a token signs a browser in as its operator, who connects Claude Code after a preview', async ({ page, office, home }) => {
  await page.goto(`${office.url}/?quality=test&motion=reduced`);
  await expect(page.getByRole('heading', { name: 'Sign in to this office' })).toBeVisible();
  expect(await findings(page), 'the sign-in page').toEqual([]);
  const field = page.getByLabel('Token or one-time link');
  await expect(field).toBeFocused();
  await field.fill('bullpen_nonsense');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('This token is not valid');
  expect(await findings(page), 'with a problem').toEqual([]);
  await field.fill(await readFile(join(office.data, 'token'), 'utf8'));
  await page.keyboard.press('Enter');
  const desk = new Desk(page);
  await desk.waitUntilLive();
  expect(page.url()).toBe(`${office.url}/?quality=test&motion=reduced`);

  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: /^Connect agents/ }).click();
  const item = page.getByRole('listitem', { name: 'Claude Code in your terminals' });
  await expect(item).toContainText('Found');
  expect(await findings(page), 'the connect sheet').toEqual([]);
  await item.getByRole('button', { name: /^Let the office/ }).click();
  await expect(item).toContainText('~/.claude/settings.json');
  await expect(item).toContainText('PermissionRequest');
  expect(await findings(page), 'the preview').toEqual([]);
  await item.getByRole('button', { name: 'Change the file' }).click();
  await expect(item).toContainText('Connected');
  expect(await readFile(join(home, '.claude', 'settings.json'), 'utf8')).toContain('hook claude');
});

signing('a one-time link can be pasted, on a phone without JavaScript', async ({ browser, office }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto(`${office.url}/text`);
  const box = await page.getByRole('main').boundingBox();
  expect(box!.x + box!.width).toBeLessThanOrEqual(390);
  await page.getByLabel('Token or one-time link').fill(office.operatorLink);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Sign in to this office');
  expect(page.url()).toBe(`${office.url}/text`);
  await page.goto(office.operatorLink);
  await expect(page.getByRole('alert')).toContainText('already been used');
  await context.close();
});
