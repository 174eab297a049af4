// Takes pictures in real offices: those for the documentation (docs/pictures/*.webp,
// docs/office.png and docs/first-minute.webp), and the stills that the client shows before the live
// room is drawn (web/src/look/still_*.webp; rebuild the client afterwards). Needs Go, git and Chromium
// (CHROMIUM_PATH, see chromium.sh); takes many minutes without a graphics card.
//
//   npm run capture [campus] [vendors] [night] [phone] [house] [finale] [review] [minute] [still]     (default: all but still)
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { filmMinute } from './film.mjs';
import { buildOffice, openBrowser, openOffice, root } from './office.mjs';
import { pictureCampus, pictureFinale, pictureHouse, pictureNight, picturePhone, pictureVendors } from './pictures.mjs';
import { progress } from './progress.mjs';
import { pictureReview } from './review.mjs';
import { drawStills } from './stills.mjs';
import { encode, withinLimit } from './webp.mjs';

/** The maximum size of a picture in bytes; the picture next to the README's table of agents has its own limit. */
const limit = 400_000, limits = { vendors: 150_000 };
/** The picture that the README shows, as a PNG. */
const cover = 'campus';

/** Each job takes pictures in an office that it opens with its own flags. */
const jobs = {
  campus: async (open) => pictureCampus(browser, await open('--pace', '8'), save),
  vendors: async (open) => pictureVendors(browser, await open('--crew', 'none', '--pace', '8'), save),
  night: async (open) => pictureNight(browser, await open('--pace', '8'), save),
  phone: async (open) => picturePhone(browser, await open('--pace', '8'), save),
  house: async (open) => pictureHouse(browser, await open('--pace', '4'), save),
  finale: async (open) => pictureFinale(browser, await open(), save),
  review: async (open) => {
    const { module: { openShop } } = await runnerImport(join(root, 'web', 'e2e', 'shop.ts')), shop = await openShop();
    const office = await open('--ephemeral=false', '--pace', '60', '--config', shop.config);
    try {
      await pictureReview(browser, office, save);
    } finally {
      await office.stop();
      await shop.stop();
    }
  },
  minute: async (open) => write('docs/first-minute.webp', await filmMinute(browser, await open('--pace', '0.3'))),
  still: async (open) => drawStills(browser, await open('--crew', 'none'), write),
};

/** Writes a file in the repository. */
function write(path, bytes) {
  writeFileSync(join(root, path), bytes);
  progress(`${path}: ${bytes.length} bytes`);
}

/** Writes a picture as WebP at its own size or, with `before`, a comparison of two pictures. */
async function save(name, png, before) {
  if (name === cover) write('docs/office.png', png);
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), page = await browser.newPage();
  write(`docs/pictures/${name}.webp`, await withinLimit(limits[name] ?? limit, (quality) => encode(page, png, { width, height, quality, before })));
  await page.close();
}

const asked = process.argv.slice(2), wanted = asked.length > 0 ? asked : Object.keys(jobs).filter((name) => name !== 'still'), unknown = wanted.find((name) => !jobs[name]);
if (unknown) throw new Error(`unknown pictures "${unknown}" (known: ${Object.keys(jobs).join(', ')})`);
const work = mkdtempSync(join(tmpdir(), 'bullpen-capture-'));
mkdirSync(join(root, 'docs', 'pictures'), { recursive: true });
const binary = buildOffice(work);
const browser = await openBrowser();
try {
  for (const name of wanted) {
    progress(`${name}: starting an office`);
    let office;
    try {
      await jobs[name](async (...flags) => (office = await openOffice(binary, join(work, name), ...flags)));
    } finally {
      await office?.stop();
    }
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true, maxRetries: 10 });
}
