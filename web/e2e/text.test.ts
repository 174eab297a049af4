import { expect, test } from './fixture.ts';

test('the text page at /text shows the office and accepts a request', async ({ page, server }) => {
  await page.goto(`${server.url}/text`);
  for (const agent of (await server.state()).agents) await expect(page.getByRole('rowheader', { name: agent.name!, exact: true })).toBeVisible();
  await page.getByRole('textbox', { name: 'What should the office do?' }).fill('Write a short plan for our summer party');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect.poll(async () => (await server.state()).projects.length).toBe(1);
  await expect.poll(async () => (await server.state()).tasks.some((t) => t.assignee), 'work starts by itself').toBe(true);
  await expect(page.getByRole('link', { name: 'Open the office' })).toHaveAttribute('href', '/');
});

test('the text page starts a waiting plan', async ({ page, server }) => {
  await page.goto(`${server.url}/text`);
  await page.getByRole('checkbox', { name: 'Start work automatically' }).uncheck();
  await page.getByRole('textbox', { name: 'What should the office do?' }).fill('Write a short plan for our summer party');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.locator('#needs').getByRole('button', { name: 'Start' }).click();
  await expect.poll(async () => (await server.state()).tasks.some((t) => t.assignee)).toBe(true);
  await expect(page.locator('#needs').getByRole('button', { name: 'Start' })).toHaveCount(0);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the client links to the text page, which is readable', async ({ page, server }) => {
    await page.goto(server.url);
    // Open the link's target directly: Playwright's click waits for a frame, which needs JavaScript.
    const href = await page.getByRole('link', { name: 'Read the same state as text.' }).getAttribute('href');
    await page.goto(server.url + href);
    await expect(page.getByRole('rowheader', { name: (await server.state()).agents[0]!.name!, exact: true })).toBeVisible();
  });
});
