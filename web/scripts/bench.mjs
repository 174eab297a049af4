// Measures the cost of one frame of the room with 8 to 1,000 people: runs bench.html in headless
// Chromium, without a graphics card, and prints its table. Standard error shows the table as it
// grows. Needs Go and Chromium (CHROMIUM_PATH, see chromium.sh).
//
//   npm run bench [query of bench.html, such as "quality=low&rounds=5"]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'vite';
import { buildOffice, openBrowser, openOffice, root } from './office.mjs';

const work = mkdtempSync(join(tmpdir(), 'bullpen-bench-'));
const query = process.argv[2] ?? 'quality=high';

const office = await openOffice(buildOffice(work), join(work, 'data'));
process.env.BULLPEN_URL = office.url;
const pages = await createServer({ root: join(root, 'web'), logLevel: 'warn', server: { port: 0, host: '127.0.0.1' } });
await pages.listen();
const browser = await openBrowser();
try {
  // Few pixels, because users have a graphics card to draw them; the measured time does not depend on the number of
  // pixels.
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: 0.1 });
  page.setDefaultTimeout(0); // a page that draws 1,000 people responds slowly
  page.on('pageerror', (e) => console.error(e));
  await page.goto(new URL(`/bench.html?${query}`, pages.resolvedUrls.local[0]).href);
  let shown = '';
  while (!(await page.evaluate(() => Boolean(globalThis.__bench)))) {
    await page.waitForTimeout(500);
    const text = await page.locator('#result').textContent();
    if (text !== shown) console.error(shown = text);
  }
  const { text, error } = await page.evaluate(() => ({ text: globalThis.__bench.text, error: globalThis.__bench.error }));
  if (error) throw new Error(`the benchmark failed: ${error}`);
  console.log(text);
} finally {
  await browser.close();
  await pages.close();
  await office.stop();
  rmSync(work, { recursive: true, force: true });
}
