import { Desk } from './desk.ts';
import { expect, test } from './fixture.ts';
import { say } from './guest.ts';
import { replay } from './replay.ts';

test.use({ deviceScaleFactor: 1 });

// In the empty office, there is no question yet. In the busy office, three agents work and one has a question.
for (const [name, messages, moved] of [['empty', 1, 2000], ['busy', 80, 2500]] as const) {
  test(`the ${name} office looks as it should`, async ({ page, server, offences: _ }) => {
    const last = await replay(page, messages);
    const desk = new Desk(page);
    await desk.open(server.url, '?quality=test&motion=reduced&theme=day');
    await expect.poll(() => desk.hasApplied(last)).toBe(true);
    await waitForLayout(desk);
    await page.clock.runFor(20); // the room is built and drawn once
    expect(await desk.frames()).toBeGreaterThan(0);
    await waitForLayout(desk);
    await desk.step(moved);
    await expect(page).toHaveScreenshot(`${name}.png`);
  });
}

/** Waits for the fonts and for two animation frames, after which every card has its final size. */
async function waitForLayout(desk: Desk): Promise<void> {
  await desk.page.evaluate(() => document.fonts.ready.then(() => undefined));
  await desk.requestBox.click({ trial: true });
}

test('a hidden tab draws nothing', async ({ desk, page, server }) => {
  await expect.poll(() => desk.frames()).toBeGreaterThan(0);
  await show(false);
  // A frame that was requested before the tab was hidden is drawn within the next two frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const before = await desk.frames();
  const seq = await desk.seq();
  await say(server, 'status', 'nightly', 'Compiling the shop');
  await expect.poll(() => desk.seq(), { message: 'the state still changes' }).toBeGreaterThan(seq);
  expect(await desk.frames()).toBe(before);
  await show(true);
  await expect.poll(() => desk.frames()).toBeGreaterThan(before);

  function show(visible: boolean): Promise<void> {
    return page.evaluate((on) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (on ? 'visible' : 'hidden') });
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => !on });
      document.dispatchEvent(new Event('visibilitychange'));
    }, visible);
  }
});

test('the 3D view recovers after its context is lost', async ({ desk, page }) => {
  await expect.poll(() => desk.frames()).toBeGreaterThan(0);
  await page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('#room')!;
    const loss = canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context')!;
    (globalThis as unknown as { restore(): void }).restore = () => loss.restoreContext();
    const lost = new Promise((done) => canvas.addEventListener('webglcontextlost', done, { once: true }));
    loss.loseContext();
    return lost.then(() => undefined);
  });
  await expect(desk.requestBox, 'the overlay stays').toBeEnabled();
  await expect(page.locator('html')).toHaveAttribute('data-view', 'text');
  const before = await desk.frames();
  await page.evaluate(() => (globalThis as unknown as { restore(): void }).restore());
  await expect(page.locator('html')).toHaveAttribute('data-view', 'room');
  await desk.submitRequest('Write a short plan for our summer party');
  await expect.poll(() => desk.frames()).toBeGreaterThan(before);
});

test('without WebGL the text view shows the same state', async ({ page, server, offences: _ }) => {
  await page.addInitScript(() => {
    const real = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) => unknown;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
      return kind.startsWith('webgl') ? null : real.call(this, kind, ...rest);
    } as typeof HTMLCanvasElement.prototype.getContext;
  });
  await page.goto(`${server.url}/?quality=test`);
  for (const agent of (await server.state()).agents) await expect(page.getByRole('rowheader', { name: agent.name!, exact: true })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Ask the office for anything' })).toBeVisible();
});
