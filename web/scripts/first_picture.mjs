// Measures how long a new visitor waits for the room: from navigation to the first browser frame
// that shows it, headless and without a graphics card. It looks at the pixels of each frame and
// does not trust what the page reports. Pass two programs to compare them: visits alternate between
// them in one run.
//
//   node scripts/first_picture.mjs path/to/bullpen [path/to/another]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser, openOffice } from './office.mjs';

const rounds = Number(process.env.ROUNDS ?? 5);
const size = { width: 1280, height: 720 };
const work = mkdtempSync(join(tmpdir(), 'bullpen-first-'));

/**
 * Returns how much the brightness varies in the middle of a frame (standard deviation): little in the sky, more in
 * the room.
 */
function unevenness(data) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  return createImageBitmap(new Blob([bytes])).then((picture) => {
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const p = context.getImageData(picture.width * 0.3, picture.height * 0.35, picture.width * 0.3, picture.height * 0.3).data;
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < p.length; i += 4) {
      const light = (p[i] + p[i + 1] + p[i + 2]) / 3;
      sum += light;
      squares += light * light;
    }
    const n = p.length / 4;
    return Math.sqrt(squares / n - (sum / n) ** 2);
  });
}

async function visit(url) {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: size });
    const tools = await page.context().newCDPSession(page);
    const frames = [];
    tools.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      frames.push({ data, at: metadata.timestamp * 1000 });
      tools.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
    });
    await tools.send('Page.startScreencast', { format: 'jpeg', quality: 40, maxWidth: 640, maxHeight: 360 });
    await page.goto(`${url}?theme=day&debug`, { waitUntil: 'commit' });
    await page.waitForFunction(() => globalThis.__office?.frames() > 0, undefined, { polling: 100 });
    const began = await page.evaluate(() => performance.timeOrigin);
    const live = await page.evaluate(() => performance.now());
    await page.waitForTimeout(1000);
    const judge = await browser.newPage();
    for (const { data, at } of frames) {
      const uneven = await judge.evaluate(unevenness, data);
      if (uneven > 14) return { seen: at - began, live };
    }
    throw new Error('no frame showed the room');
  } finally {
    await browser.close();
  }
}

const programs = process.argv.slice(2);
if (programs.length === 0) throw new Error('usage: node scripts/first_picture.mjs path/to/bullpen [path/to/another]');
const offices = await Promise.all(programs.map((binary, i) => openOffice(binary, join(work, String(i)))));
const seen = programs.map(() => []);
const live = programs.map(() => []);
try {
  for (let round = 0; round < rounds; round++) {
    for (const [i, office] of offices.entries()) {
      const times = await visit(office.url);
      seen[i].push(times.seen);
      live[i].push(times.live);
    }
  }
} finally {
  await Promise.all(offices.map((office) => office.stop()));
  rmSync(work, { recursive: true, force: true });
}
const median = (list) => (list.toSorted((a, b) => a - b)[list.length >> 1] / 1000).toFixed(2);
const worst = (list) => (Math.max(...list) / 1000).toFixed(2);
for (const [i, binary] of programs.entries()) console.log(`${binary}: first picture ${median(seen[i])} s (worst ${worst(seen[i])}), live room ${median(live[i])} s, ${rounds} visits`);
