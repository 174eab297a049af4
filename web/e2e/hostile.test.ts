import { expect, test } from './fixture.ts';

const hostile = 'Write a plan for <img src=x onerror="document.title=\'owned\'"> <script>document.title="owned"</script> [a link](javascript:document.title=1) \u202Eabc';

// Text from people and agents is shown, never executed. The fixture fails on any policy
// violation, so even a blocked attempt counts.
test('hostile text is shown as text', async ({ desk, page, server }) => {
  await desk.submitRequest(hostile);
  await expect(async () => {
    if ((await desk.waitForNeed()) === 'question') await desk.firstOption.click({ timeout: 10_000 });
    await expect(desk.approveButton).toBeVisible({ timeout: 2000 });
  }).toPass();
  await desk.need.getByRole('button', { name: 'Open', exact: true }).click();
  const content = page.getByRole('dialog').getByRole('region', { name: 'Document' });
  await expect(content).toContainText('Rehearsal');
  expect(await content.locator('script, [onerror], a[href^="javascript"], iframe').count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
  expect((await server.state()).projects[0]!.title).not.toContain('\u202E');
});
