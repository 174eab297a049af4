import type { Page } from '@playwright/test';
import { expect, test } from './fixture.ts';

const request = 'Write a short plan for our summer party';

test('a task is dragged onto a person in the room', async ({ desk, page, server }) => {
  await desk.submitRequest(request);
  await expect(desk.autoAssign).toBeVisible();
  const [task] = (await server.state()).tasks.filter((t) => t.status === 'planned' && !t.assignee);
  const agents = (await server.state()).agents.filter((a) => a.role !== 'bd');
  const card = desk.project.getByRole('button', { name: task!.title });
  const from = (await card.boundingBox())!;
  await page.mouse.move(from.x + 40, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + 80, from.y + 60, { steps: 4 });
  await expect(async () => expect(await hold(page, agents.map((a) => a.name!), () => desk.over())).toBe(true)).toPass();
  const target = await desk.over();
  await page.mouse.up();
  await expect.poll(async () => (await server.state()).tasks.find((t) => t.task_id === task!.task_id)?.assignee).toBe(target);
});

/** Carries the card to below each name tag in turn, until it is over somebody. */
async function hold(page: Page, names: string[], over: () => Promise<string | null>): Promise<boolean> {
  for (const name of names) {
    const tag = await page.locator('#labels').getByText(name, { exact: true }).first().boundingBox().catch(() => null);
    if (!tag) continue;
    await page.mouse.move(tag.x + tag.width / 2, tag.y + tag.height + 22, { steps: 3 });
    await page.waitForTimeout(300);
    if (await over()) return true;
  }
  return false;
}

test('a question is answered from the inbox', async ({ desk, server }) => {
  await desk.submitRequest('Create a landing page plan + copy + design brief for a note app');
  await desk.autoAssign.click();
  await expect.poll(async () => (await server.state()).decisions.filter((d) => d.status === 'open').length).toBeGreaterThan(0);
  const open = (await server.state()).decisions.find((d) => d.status === 'open')!;
  const row = desk.inbox.getByRole('button', { name: open.prompt });
  const card = desk.inbox.getByRole('article').filter({ hasText: open.prompt });
  await expect(row.or(card).first()).toBeVisible();
  if (await row.count()) await row.first().click();
  await card.getByRole('button', { name: open.options[1] ?? open.options[0]!, exact: true }).click();
  await expect.poll(async () => (await server.state()).decisions.find((d) => d.decision_id === open.decision_id)?.status).not.toBe('open');
  await expect(card).toHaveCount(0);
});

test('a deliverable is sent back, and the next version is compared and approved', async ({ desk, page, server }) => {
  await desk.submitRequest(request);
  await desk.autoAssign.click();
  await expect(async () => {
    if ((await desk.waitForNeed()) === 'question') await desk.firstOption.click({ timeout: 10_000 });
    await expect(desk.approveButton).toBeVisible({ timeout: 2000 });
  }).toPass();
  await desk.need.getByRole('button', { name: 'Open', exact: true }).click();
  const viewer = page.getByRole('dialog');
  await expect(viewer.getByText(/rehearsal/i).first()).toBeVisible();
  await viewer.getByRole('button', { name: /changes/i }).first().click();
  await viewer.getByRole('textbox', { name: 'What should change' }).fill('Shorter, please.');
  await viewer.getByRole('button', { name: 'Send back' }).click();
  await expect.poll(async () => (await server.state()).artifacts.some((a) => a.version === 2 && a.status === 'in_review')).toBe(true);
  if (await viewer.count()) await page.keyboard.press('Escape');
  const second = (await server.state()).artifacts.find((a) => a.version === 2)!;
  const row = desk.inbox.getByRole('button', { name: second.title! });
  await expect(row.or(desk.need.filter({ hasText: 'v2' })).first()).toBeVisible();
  if (await row.count()) await row.first().click();
  await expect(desk.need).toContainText('v2');
  await desk.need.getByRole('button', { name: 'Open', exact: true }).click();
  await viewer.getByRole('button', { name: 'Changes since v1' }).click();
  await expect(viewer.getByRole('table', { name: 'Version 1 compared with version 2' }).getByRole('row', { name: 'added' }).first()).toBeVisible();
  await viewer.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await server.state()).artifacts.find((a) => a.artifact_id === second.artifact_id)?.status).toBe('approved');
});
