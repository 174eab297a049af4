import type { Locator, Page } from '@playwright/test';
import type { Desk } from './desk.ts';
import { expect, test } from './fixture.ts';

const request = 'Write a short plan for our summer party';

test('a task is dragged onto an agent in the room', async ({ desk, page, server }) => {
  await desk.planFirst();
  await desk.submitRequest(request);
  await expect(desk.autoAssign).toBeVisible();
  const [task] = (await server.state()).tasks.filter((t) => t.status === 'planned' && !t.assignee);
  const crew = (await server.state()).agents.filter((a) => a.role !== 'bd');
  const card = desk.project.getByRole('button', { name: task!.title });
  let target: string | null = null;
  // Retry, because the agent below the card may have walked away by the time the card is dropped.
  await expect(async () => {
    await pickUp(page, card);
    await holdOver(desk, crew.map((a) => a.name!));
    target = await desk.drop();
    expect(crew.map((a) => a.agent_id)).toContain(target);
  }).toPass();
  await expect.poll(async () => (await server.state()).tasks.find((t) => t.task_id === task!.task_id)?.assignee).toBe(target);
});

async function pickUp(page: Page, card: Locator): Promise<void> {
  await card.hover({ position: { x: 40, y: 10 }, timeout: 10_000 });
  await page.mouse.down();
  const { x, y } = (await card.boundingBox({ timeout: 10_000 }))!;
  await page.mouse.move(x + 80, y + 60, { steps: 4 });
}

/** Drags the card to a point below one name label after another, until the card is over an agent. */
async function holdOver(desk: Desk, names: string[]): Promise<void> {
  for (const name of names) {
    const tag = await desk.page.locator('#labels').getByText(name, { exact: true }).first().boundingBox({ timeout: 1000 }).catch(() => null);
    if (!tag) continue;
    await desk.page.mouse.move(tag.x + tag.width / 2, tag.y + tag.height + 22, { steps: 3 });
    if (await desk.over()) return;
  }
}

test('a question is answered from the inbox', async ({ desk, server }) => {
  await desk.submitRequest('Create a landing page plan + copy + design brief for a note app');
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
  await viewer.getByRole('button', { name: 'Close' }).click();
  await expect(viewer).toHaveCount(0);
  const second = (await server.state()).artifacts.find((a) => a.version === 2)!;
  const row = desk.inbox.getByRole('button', { name: second.title! });
  await expect(row.or(desk.need.filter({ hasText: 'v2' })).first()).toBeVisible();
  if (await row.count()) await row.first().click();
  await expect(desk.need).toContainText('v2');
  await desk.need.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(viewer.getByRole('button', { name: 'Changes since v1' })).toHaveAttribute('aria-pressed', 'true');
  await expect(viewer.getByRole('table', { name: 'Version 1 compared with version 2' }).getByRole('row', { name: 'added' }).first()).toBeVisible();
  await viewer.getByRole('button', { name: 'Full size' }).click();
  await expect(page.locator('.work-full')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('.work-full'), 'Esc closes only the full-size view').toHaveCount(0);
  await viewer.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(async () => (await server.state()).artifacts.find((a) => a.artifact_id === second.artifact_id)?.status).toBe('approved');
});
