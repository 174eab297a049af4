import { findings } from './axe.ts';
import { expect, test } from './fixture.ts';
import { say } from './guest.ts';

const request = 'Create a landing page plan + copy + design brief for a note app';

test('axe reports nothing serious in any panel', async ({ desk, page }) => {
  expect(await findings(page), 'the empty office').toEqual([]);
  await desk.submitRequest(request);
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

test('axe reports nothing serious at night', async ({ desk, page, server }) => {
  await desk.open(server.url, '?quality=test&motion=reduced&theme=night');
  expect(await findings(page)).toEqual([]);
});

test('the text view shows the same state as the room', async ({ desk, page, server }) => {
  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Text view' }).click();
  for (const agent of (await server.state()).agents) await expect(page.getByRole('rowheader', { name: agent.name!, exact: true })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await desk.submitRequest(request);
  await expect(page.getByRole('heading', { name: request })).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('request, answer and approve, without horizontal overflow', async ({ desk, page, server }) => {
    const tab = (name: string) => page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: new RegExp(`^${name}`) });
    await desk.submitRequest(request);
    const approved = async () => (await server.state()).artifacts.some((a) => a.status === 'approved');
    await expect(async () => {
      if (!(await approved())) await ((await desk.waitForNeed()) === 'review' ? desk.approveButton : desk.firstOption).tap({ timeout: 10_000 });
      expect(await approved()).toBe(true);
    }).toPass();
    for (const name of ['People', 'Tasks', 'Chat', 'More', 'Needs you']) {
      await tab(name).tap();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} fits`).toBeLessThanOrEqual(390);
      expect(await findings(page), name).toEqual([]);
    }
  });

  test('no name is hidden behind a card', async ({ desk, page, server }) => {
    for (const name of ['nightly', 'deploy', 'index']) await say(server, 'status', name, 'Compiling the whole shop');
    await say(server, 'ask', 'deploy', { prompt: 'Deploy now?', options: ['Yes', 'No'] });
    await expect(desk.need).toContainText('Deploy now?');
    const hidden = () =>
      page.evaluate(() => {
        const boxes = (of: string) => [...document.querySelectorAll(of)].filter((el) => el.checkVisibility({ visibilityProperty: true })).map((el) => el.getBoundingClientRect());
        const [names, cards] = [boxes('.plate-bar, .speech, .crowd'), boxes('.chip, .bulletins > *, .sheet')];
        if (names.length === 0 || cards.length < 3) return 'nothing to see yet';
        return names.filter((n) => cards.some((c) => n.left < c.right && n.right > c.left && n.top < c.bottom && n.bottom > c.top)).length;
      });
    await expect.poll(hidden).toBe(0);
  });
});
