import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, WebSocketRoute } from '@playwright/test';
import { Desk } from './desk.ts';
import { expect, test } from './fixture.ts';

const request = 'Create a landing page plan + copy + design brief for a note app';

/** Returns a random number generator that repeats the same numbers on every run (linear congruential). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) / 4_294_967_296;
}

/**
 * Closes the world socket `cuts` times, each time after a random number of messages. Returns a function that returns
 * the number of cuts so far.
 */
async function cutAtRandom(page: Page, seed: number, cuts: number): Promise<() => number> {
  const random = seededRandom(seed);
  let done = 0;
  await page.routeWebSocket('**/ws/world', (socket: WebSocketRoute) => {
    const server = socket.connectToServer();
    let left = done < cuts ? 4 + Math.floor(random() * 80) : Number.POSITIVE_INFINITY;
    const cut = () => {
      if (left-- > 0) return false;
      left = Number.POSITIVE_INFINITY;
      done++;
      void socket.close({ code: 1001 });
      void server.close({ code: 1001 });
      return true;
    };
    socket.onMessage((m) => cut() || server.send(m));
    server.onMessage((m) => cut() || socket.send(m));
  });
  return () => done;
}

test('a client whose connection breaks at random reaches the same state as one whose connection never breaks', async ({ page, server, another }) => {
  const uncut = await another();
  const done = await cutAtRandom(page, 7, 5);
  const desk = new Desk(page);
  await desk.open(server.url);
  await expect(async () => {
    if ((await server.state()).projects.length > 0) return;
    await desk.submitRequest(request, 10_000);
    await expect.poll(async () => (await server.state()).projects.length, { timeout: 10_000 }).toBe(1);
  }).toPass();
  await desk.completeProject((button) => button.click({ timeout: 10_000 }));
  expect(done(), 'cuts').toBeGreaterThan(2);
  expect((await server.state()).projects.length, 'the request counted once').toBe(1);
  await expectSameState(desk, uncut);
});

test('two viewers see the same office', async ({ desk, another }) => {
  const other = await another();
  await desk.planFirst();
  await desk.submitRequest(request);
  await other.need.getByRole('button', { name: 'Start', exact: true }).click();
  await desk.waitForNeed();
  await other.waitForNeed();
  await expectSameState(desk, other);
  await other.completeProject((button) => button.click({ timeout: 10_000 }));
  await expect(desk.project).toContainText('Completed');
  await expectSameState(desk, other);
});

test('while the office is down the last state stays and commands are disabled', async ({ desk, page, server }) => {
  await desk.planFirst();
  await desk.submitRequest(request);
  await expect(desk.autoAssign).toBeVisible();
  await server.stop();
  await expect(page.getByText('Reconnecting…')).toBeVisible();
  await expect(desk.project).toBeVisible();
  await expect(desk.autoAssign).toBeDisabled();
  await expect(desk.requestBox).toBeDisabled();
  await expect(page.getByText(/attempt \d/).first()).toBeVisible();
});

/** Waits until both clients have the same rows at the same seq. */
async function expectSameState(a: Desk, b: Desk): Promise<void> {
  await expect(async () => {
    const [one, two] = await Promise.all([a.state(), b.state()]);
    expect(one.seq).toBe(two.seq);
    expect(one.rows).toEqual(two.rows);
  }).toPass();
}

test.describe('a custom scene', () => {
  test.use({ scene: ownScene() });

  test('opens like the built-in one, although its ids are different', async ({ page, desk }) => {
    await desk.submitRequest(request);
    await desk.waitForNeed();
    await expect(page).toHaveTitle(/Our loft/);
    await expect.poll(() => page.evaluate(() => (window as unknown as { __office: { frames(): number } }).__office.frames())).toBeGreaterThan(0);
  });
});

/** Writes a scene file with the built-in room under different ids and another name, and returns the file's path. */
function ownScene(): string {
  const builtIn = readFileSync(new URL('../../contracts/scenes/cozy_office_v0.json', import.meta.url), 'utf8');
  const own = JSON.parse(builtIn.replaceAll('cozy_office_v0', 'our_loft').replaceAll(/"poi_(?!id")/g, '"poi_our_')) as object;
  const file = join(tmpdir(), `bullpen-scene-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ ...own, label: 'Our loft' }));
  return file;
}
