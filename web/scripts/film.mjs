// Films the first minute of an office, for the README.
import { answer, submit } from './pictures.mjs';
import { progress } from './progress.mjs';
import { visit } from './visit.mjs';
import { animate, encode, withinLimit } from './webp.mjs';

const size = { width: 1120, height: 630 };
const shown = { width: 896, height: 504 };
/** The maximum number of pictures in the film, how long each is shown (in ms), and the film's maximum size in bytes. */
const film = { frames: 90, ms: 200, limit: 3_000_000 };
/** The maximum number of pictures taken after the project is completed, and in total. */
const most = { after: 10, shots: 400 };

/** Submits a request, answers all questions, and approves all deliverables; returns the film. */
export async function filmMinute(browser, { url }) {
  const { page, catchUp, shoot, sharpen } = await visit(browser, url, size);
  await sharpen();
  const shots = [];
  let after = 0, looked = 0;
  while (after < most.after && shots.length < most.shots) {
    await catchUp();
    shots.push(await shoot());
    if (shots.length % 10 === 0) progress(`${shots.length} pictures taken`);
    if (shots.length === 3) await submit(page);
    // A viewer needs time to read a question.
    if ((await page.evaluate(() => globalThis.__office.store.needs.value.length)) > 0 && ++looked % 4 === 0) await answer(page);
    if (await page.getByRole('region', { name: 'Project' }).filter({ hasText: 'Completed' }).count()) after++;
  }
  const every = Math.max(1, shots.length / film.frames);
  const chosen = Array.from({ length: Math.min(film.frames, shots.length) }, (_, i) => shots[Math.floor(i * every)]);
  const blank = await browser.newPage(); // the office's page may not load data URLs
  return withinLimit(film.limit, async (quality) => {
    progress(`encoding ${chosen.length} pictures at quality ${quality}`);
    const frames = [];
    for (const shot of chosen) frames.push({ bytes: await encode(blank, shot, { ...shown, quality }), ms: film.ms });
    frames.at(-1).ms = 2500;
    return animate(frames, shown.width, shown.height);
  });
}
