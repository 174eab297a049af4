import { findings } from './axe.ts';
import { openStudios, spaceAround } from './campus.ts';
import { Desk } from './desk.ts';
import { expect, test } from './fixture.ts';

test.use({ crew: 'none' });

const folders = ['shop-api', 'mobile', 'billing', 'docs-site', 'infra'];

/** Waits until a room, or the campus, is drawn completely, in the middle of the space that panels leave free. */
async function expectCentred(desk: Desk, room: string | null): Promise<void> {
  await expect(async () => {
    const { left, right, top, bottom } = await spaceAround(desk, room);
    const { width, height } = (await desk.page.locator('#room').boundingBox())!;
    expect(Math.min(left, right, top, bottom), 'nothing is hidden').toBeGreaterThanOrEqual(0);
    expect(Math.abs(left - right) / width, `${left} px on the left, ${right} px on the right`).toBeLessThan(0.15);
    expect(Math.abs(top - bottom) / height, `${top} px above, ${bottom} px below`).toBeLessThan(0.25);
  }).toPass();
}

/** Waits until the campus is drawn wider than the screen, and completely from top to bottom. */
async function expectFilled(desk: Desk): Promise<void> {
  await expect(async () => {
    const { left, right, top, bottom } = await spaceAround(desk, null);
    const { height } = (await desk.page.locator('#room').boundingBox())!;
    expect(Math.max(left, right), 'both sides are outside').toBeLessThan(0);
    expect(Math.min(top, bottom), 'nothing is hidden above or below').toBeGreaterThanOrEqual(0);
    expect(top + bottom, 'the space above and below').toBeLessThan(height * 0.65);
  }).toPass();
}

for (const [width, height] of [[1280, 720], [1440, 900], [1920, 1080]] as const) {
  test.describe(`at ${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    test('the campus and a studio are in the middle of the space that panels leave', async ({ desk, page, server }) => {
      await openStudios(server, desk, folders, 5);
      await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'campus', room: null });
      await expectCentred(desk, null);
      await page.keyboard.press('e');
      await expectCentred(desk, null);
      await page.keyboard.press('0');
      await page.keyboard.press('2');
      await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'studio', room: 'room_1' });
      await expectCentred(desk, 'room_1');
      await page.getByRole('button', { name: 'Close Needs you' }).click();
      await expectCentred(desk, 'room_1');
    });
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('one swipe shows the room full-screen, and another shows the panel again', async ({ desk, page, server }) => {
    await openStudios(server, desk, folders, 5);
    await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'campus', room: null });
    await expectCentred(desk, null);
    const grab = page.getByRole('button', { name: 'Full-screen room' });
    const swipe = async (by: number) => {
      const { x, y, width } = (await grab.boundingBox())!;
      await page.mouse.move(x + width / 2, y + 6);
      await page.mouse.down();
      await page.mouse.move(x + width / 2, y + 6 + by, { steps: 4 });
      await page.mouse.up();
    };
    const canvas = async () => (await page.locator('#room').boundingBox())!.height;
    const small = await canvas();
    await swipe(90);
    await expect(desk.inbox).toHaveCount(0);
    await expect.poll(canvas).toBeGreaterThan(2 * small);
    await expectFilled(desk);
    expect(await findings(page), 'the full-screen room').toEqual([]);
    await swipe(-90);
    await expect(desk.inbox).toBeVisible();
    await expect.poll(canvas).toBe(small);
    await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'People' }).click();
    await expect(page.getByRole('navigation', { name: 'Studios' }).getByRole('button', { name: /shop-api.*1 person/ })).toBeVisible();
    expect(await findings(page), 'people by studio').toEqual([]);
  });
});

test('studios that cannot be loaded are reported, and shown when the next one opens', async ({ page, server, offences: _ }) => {
  await page.route('**/assets/campus-*.js', (route) => route.abort());
  const desk = new Desk(page);
  await desk.open(server.url);
  // Collect the messages as they appear: each is shown for only a few seconds, and a slow machine might miss it.
  const told = await page.evaluateHandle(() => {
    const toasts: string[] = [];
    new MutationObserver(() => document.querySelectorAll('.toast').forEach((el) => toasts.push(el.textContent ?? ''))).observe(document.body, { subtree: true, childList: true });
    return toasts;
  });
  await openStudios(server, desk, ['shop-api'], 1);
  await expect.poll(() => told.evaluate((toasts) => toasts.join())).toContain('The studios could not be shown');
  await page.unroute('**/assets/campus-*.js');
  await openStudios(server, desk, ['mobile'], 1);
  await expect(page.locator('.strip')).toHaveCount(3);
});
