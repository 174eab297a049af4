import { findings } from './axe.ts';
import { expect, test } from './fixture.ts';
import { Session } from './guest.ts';
import { joinOffice } from './outpost.ts';

test.use({ crew: 'none' });

test('a machine that joined is shown with its health, and as gone after it has left', async ({ desk: _, page, server }) => {
  const panels = page.getByRole('navigation', { name: 'Panels' });
  const outpost = await joinOffice(server, 'laptop');
  try {
    const session = new Session({ ...server, url: outpost.url }, '/src/shop');
    await session.start('Build it');
    await expect.poll(async () => (await server.state()).agents.filter((a) => a.outpost === 'laptop').length).toBe(1);

    await panels.getByRole('button', { name: /^Connect agents/ }).click();
    const item = page.getByRole('listitem', { name: 'laptop' });
    await expect(item).toContainText('Connected');
    await expect(item).toContainText(/1 agent · Bullpen \S+ · connected /);
    expect(await findings(page), 'the connect sheet').toEqual([]);
    await page.keyboard.press('Escape');

    await panels.getByRole('button', { name: 'People' }).click();
    await page.getByRole('region', { name: 'People' }).getByRole('listitem').getByRole('button', { name: 'shop' }).click();
    const panel = page.getByRole('region', { name: 'About shop' });
    await panel.getByRole('button', { name: 'Explain' }).click();
    await expect(panel).toContainText('Runs on outpost laptop: Connected');
  } finally {
    await outpost.leave();
  }
  await panels.getByRole('button', { name: /^Connect agents/ }).click();
  const item = page.getByRole('listitem', { name: 'laptop' });
  await expect(item).toContainText('Gone');
  await expect(item).toContainText('start `bullpen join` on its machine');
});
