import { expect, test } from './fixture.ts';

const request = 'Create a landing page plan + copy + design brief for a note app';

test('the first minute, from request to trophy, by mouse', async ({ desk, server }) => {
  await desk.submitRequest(request);
  await desk.completeProject((button) => button.click({ timeout: 10_000 }));
  const state = await server.state();
  expect(state.office_decor.length, 'a trophy').toBe(1);
  expect((state.artifacts ?? []).filter((a) => a.status === 'approved').length).toBeGreaterThanOrEqual(3);
  await expect.poll(() => desk.rows()).toMatchObject({ decor: [{ decor_id: state.office_decor[0]!.decor_id }] });
});

test('the first minute by keyboard alone', async ({ desk, page, server }) => {
  const press = (...keys: string[]) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  await tabTo(desk.requestBox);
  await page.keyboard.insertText(request);
  await press('Enter');
  await expect(desk.requestBox).toHaveValue('');
  await desk.completeProject(async (button) => {
    await press('Escape', 'Space');
    await expect(desk.need).toBeFocused({ timeout: 10_000 });
    if (await desk.approveButton.count()) return press('y');
    await tabTo(button, 10_000);
    return press('Enter');
  });
  expect((await server.state()).office_decor.length, 'a trophy').toBe(1);

  async function tabTo(target: typeof desk.requestBox, timeout?: number): Promise<void> {
    for (let i = 0; i < 60; i++) {
      if (await target.evaluate((el) => el === document.activeElement, undefined, timeout === undefined ? {} : { timeout })) return;
      await page.keyboard.press('Tab');
    }
    throw new Error('60 presses of Tab did not reach the control');
  }
});

test('a reload in the middle loses nothing', async ({ desk, page, server }) => {
  await desk.submitRequest(request);
  await desk.waitForNeed();
  await page.reload();
  await desk.waitUntilLive();
  await desk.waitForNeed();
  const state = await server.state();
  const rows = await desk.rows();
  expect(rows['tasks']!.map((t) => t['task_id']).sort()).toEqual((state.tasks ?? []).map((t) => t.task_id).sort());
  await desk.completeProject((button) => button.click({ timeout: 10_000 }));
});

test('a waiting plan is a card with Start on it', async ({ desk, server }) => {
  await desk.planFirst();
  await desk.submitRequest(request);
  await expect(desk.need).toContainText('has a plan for you');
  expect((await server.state()).tasks.some((t) => t.assignee)).toBe(false);
  await desk.need.getByRole('button', { name: 'Start', exact: true }).click();
  await expect.poll(async () => (await server.state()).tasks.some((t) => t.assignee)).toBe(true);
});

