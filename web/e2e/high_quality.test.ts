import { showCampus } from './made_up_campus.ts';
import { expect, test } from './fixture.ts';

/** The part of window.__office that these tests use. */
interface Hooks { step(ms: number): void; info(): { tier: string; shaded: boolean; studios: number; calls: number; triangles: number } | null }

// Use few pixels, because they are drawn without a graphics card. Draw calls and triangles do not depend on them.
test.use({ crew: 'none', deviceScaleFactor: 0.1 });

test('high quality draws 200 people in 12 studios with shade and lamps, within its limits', async ({ page, server, offences: _ }) => {
  const errors: string[] = [];
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  await showCampus(page, server, 200, 12);
  await page.goto(`${server.url}/?quality=high&motion=reduced&theme=night&debug`);
  const draw = () => page.evaluate(() => {
    const { step, info } = (globalThis as unknown as { __office?: Hooks }).__office ?? {};
    step?.(1000);
    return info?.() ?? null;
  });
  await expect.poll(draw, { message: 'drawn without a graphics card', timeout: 480_000 }).toMatchObject({ tier: 'high', studios: 12, shaded: true });
  const { calls, triangles } = (await draw())!;
  expect(calls).toBeLessThanOrEqual(110);
  expect(triangles).toBeLessThanOrEqual(800_000);
  expect(triangles, 'the studios are in the picture').toBeGreaterThan(300_000);
  expect(errors, 'shaders compile').toEqual([]);
  const { red, blue } = await page.evaluate(meanColor);
  expect(red, 'the lamps are warmer than the moon').toBeGreaterThan(blue);
});

/** Returns the mean colour of everything that is drawn, without the page behind it. */
function meanColor(): { red: number; blue: number } {
  const canvas = document.querySelector<HTMLCanvasElement>('#room')!;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!;
  (globalThis as unknown as { __office: Hooks }).__office.step(0);
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const sum = { red: 0, blue: 0 };
  for (let i = 0; i < data.length; i += 4) {
    sum.red += (data[i]! * data[i + 3]!) / 255;
    sum.blue += (data[i + 2]! * data[i + 3]!) / 255;
  }
  return sum;
}
