// Creates the README pictures from a real office, docs/office.png and docs/first-minute.webp,
// and the stills that the client shows before the live room is drawn,
// web/src/look/still_*.webp (rebuild the client afterwards). Needs Go and Chromium
// (CHROMIUM_PATH, see chromium.sh); takes a few minutes without a graphics card. The office
// runs slower than real time, so that a slow machine can draw every step.
//
//   npm run capture [office] [minute] [still]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { browserArgs, openOffice } from './office.mjs';
import { animate } from './webp.mjs';

const root = join(import.meta.dirname, '..', '..');
const docs = join(root, 'docs');
const work = mkdtempSync(join(tmpdir(), 'bullpen-capture-'));
const binary = join(work, 'bullpen');
const request = 'Create a landing page plan + copy + design brief for a note app';
const movie = { width: 1120, height: 630, shown: { width: 896, height: 504 }, pace: 0.3, frames: 90, ms: 200, limit: 3_000_000 };

/** Starts an office that runs at `pace`. */
const office = (pace, ...flags) => openOffice(binary, join(work, `data-${pace}`), '--pace', String(pace), ...flags);

/** Opens a page whose room clock advances only when draw() takes a picture, so that drawing never falls behind. */
async function visit(browser, url, size, theme = 'day') {
  const page = await browser.newPage({ viewport: size, timezoneId: 'UTC', locale: 'en-US' });
  page.setDefaultTimeout(120_000);
  await page.goto(`${url}/?quality=high&theme=${theme}&debug`);
  await page.waitForFunction(() => globalThis.__office?.info()?.shaded, undefined, { polling: 200 });
  let last = Date.now();
  const draw = async () => {
    const now = Date.now();
    await page.evaluate((ms) => globalThis.__office.step(ms), now - last);
    last = now;
    return page.screenshot({ animations: 'allow' });
  };
  return { page, draw };
}

const box = (page) => page.getByRole('textbox', { name: 'Ask the office for anything' });
const need = (page) => page.getByRole('region', { name: 'Needs you' }).getByRole('article');

async function photograph(browser) {
  const opened = await office(0.4);
  try {
    const { page, draw } = await visit(browser, opened.url, { width: 1600, height: 900 });
    await draw();
    await box(page).fill(request);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => globalThis.__office.store.agents.value.some((a) => a.needs_you === true), undefined, { polling: 200 });
    await draw();
    writeFileSync(join(docs, 'office.png'), await draw());
  } finally {
    opened.stop();
  }
}

/** Plays the person: yields at most one action per picture, depending on what the page shows. */
function* person(page) {
  let looked = 0;
  yield async () => {};
  yield () => box(page).fill(request.slice(0, 24));
  yield () => box(page).fill(request);
  yield () => page.keyboard.press('Enter');
  for (;;) {
    yield async () => {
      if ((await need(page).count()) === 0) return;
      if (looked++ < 3) return;
      looked = 0;
      const approve = need(page).getByRole('button', { name: 'Approve', exact: true });
      const button = (await approve.count()) ? approve : need(page).locator('.options').getByRole('button').first();
      await button.click({ timeout: 5000 }).catch(() => {}); // the button may be gone already
    };
  }
}

async function film(browser) {
  const opened = await office(movie.pace);
  const shots = [];
  try {
    const { page, draw } = await visit(browser, opened.url, movie);
    const deeds = person(page);
    let after = 0;
    while (after < 10 && shots.length < 400) {
      shots.push(await draw());
      await deeds.next().value();
      if (await page.getByRole('region', { name: 'Project' }).filter({ hasText: 'Completed' }).count()) after++;
    }
  } finally {
    opened.stop();
  }
  const every = Math.max(1, shots.length / movie.frames);
  const chosen = Array.from({ length: Math.min(movie.frames, shots.length) }, (_, i) => shots[Math.floor(i * every)]);
  for (const quality of [0.8, 0.7, 0.6, 0.5, 0.4, 0.3]) {
    const stills = await encode(browser, chosen, quality);
    const frames = stills.map((bytes, i) => ({ bytes, ms: i === stills.length - 1 ? 2500 : movie.ms }));
    const made = animate(frames, movie.shown.width, movie.shown.height);
    if (made.length > movie.limit) continue;
    writeFileSync(join(docs, 'first-minute.webp'), made);
    console.log(`docs/first-minute.webp: ${frames.length} of ${shots.length} pictures, ${made.length} bytes at quality ${quality}`);
    return;
  }
  throw new Error('the film exceeds its size limit at every quality');
}

/** Encodes the stills as WebP in the browser, so that no other encoder is needed. */
async function encode(browser, shots, quality) {
  const page = await browser.newPage();
  const stills = [];
  for (const shot of shots) {
    const text = await page.evaluate(async ({ png, width, height, quality }) => {
      const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const context = canvas.getContext('2d', { alpha: false });
      context.imageSmoothingQuality = 'high';
      context.drawImage(picture, 0, 0, width, height);
      return canvas.toDataURL('image/webp', quality).split(',')[1];
    }, { png: shot.toString('base64'), ...movie.shown, quality });
    stills.push(Buffer.from(text, 'base64'));
  }
  await page.close();
  return stills;
}

/** Draws the stills of the empty room, by day and by night, and writes the room's hash to still.gen.ts. */
async function drawStills(browser) {
  const opened = await office(1, '--crew', 'none');
  try {
    for (const theme of ['day', 'night']) {
      const { page } = await visit(browser, opened.url, { width: 1280, height: 720 }, theme);
      const text = await page.evaluate(() => {
        const { store, focus, step } = globalThis.__office;
        for (const rows of ['agents', 'players']) store[rows].value = [];
        store.me.value = '';
        focus.panels.value = [];
        step(1000);
        return document.querySelector('#room').toDataURL('image/webp', 0.55).split(',')[1];
      });
      const made = Buffer.from(text, 'base64');
      writeFileSync(join(root, 'web', 'src', 'look', `still_${theme}.webp`), made);
      console.log(`web/src/look/still_${theme}.webp: ${made.length} bytes`);
      const print = await page.evaluate(() => globalThis.__office.print());
      await page.close();
      writeFileSync(join(root, 'web', 'src', 'scene', 'still.gen.ts'), `// Written by \`npm run capture still\`: the hash of the room in look/still_*.webp.\nexport const stillOf = '${print}';\n`);
    }
  } finally {
    opened.stop();
  }
}

const wanted = process.argv.slice(2);
execFileSync('go', ['build', '-o', binary, './cmd/bullpen'], { cwd: root, stdio: 'inherit' });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/lib/chromium/chromium', args: browserArgs });
try {
  if (wanted.length === 0 || wanted.includes('office')) await photograph(browser);
  if (wanted.length === 0 || wanted.includes('minute')) await film(browser);
  if (wanted.includes('still')) await drawStills(browser);
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
