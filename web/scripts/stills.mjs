// Draws the stills that the client shows first: the empty room by day and by night.
import { progress } from './progress.mjs';
import { visit } from './visit.mjs';

/** Writes the stills, and the hash of the room that they show: `write(path, bytes)` is called for each file. */
export async function drawStills(browser, { url }, write) {
  let hash;
  for (const [theme, hour] of [['day', 11], ['night', 23]]) {
    const { page, sharpen } = await visit(browser, url, { width: 1280, height: 720, hour });
    await page.evaluate(() => {
      const { store, focus } = globalThis.__office;
      for (const rows of ['agents', 'players']) store[rows].value = [];
      store.me.value = '';
      focus.panels.value = [];
    });
    progress(`drawing the still of the ${theme}`);
    await sharpen();
    const { still, roomHash } = await page.evaluate(() => {
      globalThis.__office.focus.panels.value = [];
      globalThis.__office.step(1000);
      return { still: document.querySelector('#room').toDataURL('image/webp', 0.55).split(',')[1], roomHash: globalThis.__office.roomHash() };
    });
    write(`web/src/look/still_${theme}.webp`, Buffer.from(still, 'base64'));
    hash = roomHash;
    await page.close();
  }
  write('web/src/scene/still.gen.ts', `// Written by \`npm run capture still\`: the hash of the room in look/still_*.webp.\nexport const stillOf = '${hash}';\n`);
}
