import { progress } from './progress.mjs';

/**
 * The resolution at which the page is drawn until the room is complete, in device pixels per CSS pixel: drawing is
 * slow without a graphics card.
 */
const draft = 0.1;

/** Opens the one-time link that gives a browser operator access; returns the browser state for later visits. */
export async function becomeOperator(browser, link) {
  const page = await browser.newPage();
  await page.goto(link);
  const state = await page.context().storageState();
  await page.close();
  return state;
}

/**
 * Opens the office in a page and waits until everything is built and shaded. The room's clock advances only in settle,
 * catchUp and draw, so that drawing never falls behind. `hour` is the local time of day; `scale` is the number of
 * device pixels per CSS pixel in pictures; `shade: false` leaves out the shade in corners and below furniture.
 */
export async function visit(browser, url, { width = 1600, height = 900, hour = 11, phone = false, scale = 1, shade = true, state } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: draft, timezoneId: 'UTC', locale: 'en-US', storageState: state, isMobile: phone, hasTouch: phone });
  page.setDefaultTimeout(600_000);
  progress(`building and shading the room at ${hour}:00`);
  await page.addInitScript(setHour, hour);
  if (!shade) await page.addInitScript(ignoreShade);
  await page.goto(`${url}/?quality=high&debug`);
  await page.waitForFunction(() => globalThis.__office?.info(), undefined, { polling: 200 });
  const step = (ms) => page.evaluate(stepAndDraw, ms);
  const now = () => page.evaluate(() => globalThis.__office.store.now());
  await step(0);
  let clock = await now();
  const advance = async (ms) => {
    clock += ms;
    await step(ms);
  };
  /** Advances the room's clock to the present. */
  const catchUp = async () => advance(Math.max(0, (await now()) - clock));
  const info = () => page.evaluate(() => globalThis.__office.info());
  /** Waits until everything is built and shaded, which happens between frames. */
  const settle = async () => {
    do {
      await page.waitForTimeout(1000);
      await advance(500);
    } while (!(await info()).shaded);
  };
  await settle();
  progress('the room is complete');
  const tools = await page.context().newCDPSession(page);
  const frames = () => page.evaluate(() => globalThis.__office.frames());
  const resize = async (by, deviceScaleFactor) => {
    const before = await frames();
    await tools.send('Emulation.setDeviceMetricsOverride', { width: width - by, height, deviceScaleFactor, mobile: phone });
    while ((await frames()) === before) await page.waitForTimeout(50);
  };
  let drawn = draft;
  /** Changes the resolution. The room notices this only when its size changes, so the size is changed too. */
  const resolve = async (to) => {
    await resize(1, drawn);
    await resize(0, to);
    drawn = to;
  };
  /** Draws at full resolution from now on. */
  const sharpen = () => resolve(scale);
  /** Ends the page's transitions, takes a picture of the page, and returns it as a PNG. */
  const shoot = async () => {
    await page.evaluate(finishTransitions);
    return Buffer.from((await tools.send('Page.captureScreenshot', { format: 'png' })).data, 'base64');
  };
  /** Advances the room's clock by `ms` and takes a picture at full resolution; returns a PNG. */
  const draw = async (ms) => {
    progress('drawing a picture');
    await sharpen();
    await advance(ms);
    const png = await shoot();
    await resize(1, draft);
    drawn = draft;
    return png;
  };
  /** Changes the time of day; the room checks the clock a few times a minute. */
  const setTime = async (to) => {
    const { night } = await info();
    await page.evaluate(setHour, to);
    while ((await info()).night === night) await page.waitForTimeout(1000);
  };
  return { page, catchUp, settle, setTime, draw, sharpen, shoot };
}

/** Advances the room's clock and waits until the frame is drawn, so that frames never queue up; runs in the page. */
function stepAndDraw(ms) {
  globalThis.__office.step(ms);
  const gl = document.querySelector('#room').getContext('webgl2');
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}

/**
 * Finishes all animations that are not endless: without a graphics card, they can take many seconds. Runs in the
 * page.
 */
function finishTransitions() {
  for (const a of document.getAnimations()) if (a.effect.getComputedTiming().endTime !== Infinity) a.finish();
}

/** Sets the local time of day; runs in the page. */
function setHour(hour) {
  Object.assign(Date.prototype, { getHours: () => hour, getMinutes: () => 0, getSeconds: () => 0 });
}

/** Sets the strength of all shade to 0; runs in the page. */
function ignoreShade() {
  const { getUniformLocation, uniform1f } = WebGL2RenderingContext.prototype, shades = new WeakSet();
  Object.assign(WebGL2RenderingContext.prototype, {
    getUniformLocation(program, name) {
      const at = getUniformLocation.call(this, program, name);
      if (at && name === 'uShade') shades.add(at);
      return at;
    },
    uniform1f(at, value) { uniform1f.call(this, at, at && shades.has(at) ? 0 : value); },
  });
}
