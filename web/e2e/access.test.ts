import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from '@playwright/test';
import { expect, test } from './fixture.ts';

const request = 'Create a landing page plan + copy + design brief for a note app';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious findings, one line each. The debugger's evaluate puts axe in: the page's own policy stays in force. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const results = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  return results.violations
    .filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).join(' | ')}`);
}

test('axe finds nothing serious, in any panel', async ({ desk, page }) => {
  expect(await findings(page), 'the empty office').toEqual([]);
  await desk.submitRequest(request);
  await desk.autoAssign.click();
  await desk.waitForNeed();
  expect(await findings(page), 'with something in the inbox').toEqual([]);
  const panels = page.getByRole('navigation', { name: 'Panels' });
  for (const name of ['People', 'Chat', 'Activity', 'Events']) {
    await panels.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    expect(await findings(page), name).toEqual([]);
  }
  for (const name of ['Settings', 'Keys', 'Find anything']) {
    await panels.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await findings(page), name).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await desk.project.getByRole('button', { name: 'Open the task board' }).click();
  expect(await findings(page), 'the board').toEqual([]);
});

test('axe finds nothing serious at night', async ({ desk, page, server }) => {
  await desk.open(server.url, '?quality=test&motion=reduced&theme=night');
  expect(await findings(page)).toEqual([]);
});

test('the text view says what the room shows', async ({ desk, page, server }) => {
  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Text view' }).click();
  for (const agent of (await server.state()).agents) await expect(page.getByText(agent.name!, { exact: true }).first()).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await desk.submitRequest(request).catch(() => undefined);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('inbox, approve, diff and people fit', async ({ desk, page, server }) => {
    await desk.submitRequest(request);
    await expect.poll(async () => (await server.state()).tasks.length).toBeGreaterThan(0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, 'nothing sticks out').toBeLessThanOrEqual(390);
    expect(await findings(page)).toEqual([]);
  });
});
