import { findings } from './axe.ts';
import { agentOf, campusOf, openStudios, waitForArrival } from './campus.ts';
import { expect, test } from './fixture.ts';

test.use({ crew: 'none' });

const folders = ['shop-api', 'mobile', 'billing', 'docs-site', 'infra', 'search', 'design', 'data'];
const edit = { file_path: '/home/dev/shop-api/src/cart.ts', old_string: 'sum += item.price;\n', new_string: 'sum += item.price * item.count;\n', replace_all: false };

test('two keys find and answer the one of 80 people who needs you', async ({ server, another }) => {
  const desk = await another('?quality=test&motion=reduced', server.operatorLink);
  const sessions = await openStudios(server, desk, folders, 80);
  const session = sessions[59]!;
  const answer = session.ask('npm publish');
  await expect(desk.need).toContainText('npm publish');
  const { agent_id, room_id } = await agentOf(server, session);
  await waitForArrival(desk, agent_id);
  await desk.page.keyboard.press('Space');
  await expect(desk.need).toBeFocused();
  await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'person', room: room_id });
  await expect(desk.need.getByRole('button', { name: 'Deny' }), 'the card accepts answers now').toBeEnabled();
  await desk.page.keyboard.press('y');
  const said = (await (await answer).json()) as { hookSpecificOutput: { decision: { behavior: string } } };
  expect(said.hookSpecificOutput.decision.behavior).toBe('allow');
});

test('the keyboard alone leads from the campus to the diff of a person, and back', async ({ desk, page, server }) => {
  const [session] = await openStudios(server, desk, folders.slice(0, 3), 3);
  await session!.tool('toolu_1', 'Edit', edit);
  await session!.done('toolu_1', 'Edit', edit, { filePath: edit.file_path, oldString: edit.old_string, newString: edit.new_string });
  const { room_id } = await agentOf(server, session!);
  const keys = page.keyboard;
  await keys.press('c');
  await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'campus', room: null });
  const rooms = (await campusOf(desk)).filter((p) => p.id !== 'garden');
  await keys.press(String(rooms.findIndex((p) => p.id === room_id) + 1));
  await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'studio', room: room_id });
  await keys.press('1');
  await expect.poll(async () => (await desk.camera()).zoomLevel).toBe('person');
  await keys.press('Enter');
  const panel = page.getByRole('region', { name: /^About/ });
  await expect(panel).toBeFocused();
  const row = panel.getByRole('button', { name: /cart\.ts/ });
  await expect(row).toBeVisible();
  for (let i = 0; i < 40 && !(await row.evaluate((el) => el === document.activeElement)); i++) await keys.press('Tab');
  await expect(row).toBeFocused();
  await keys.press('Enter');
  await expect(panel.getByRole('table', { name: 'Changes' })).toBeVisible();
  await expect(async () => {
    await keys.press('Escape');
    expect(await desk.camera()).toEqual({ zoomLevel: 'campus', room: null });
  }).toPass();
  await expect(panel).toHaveCount(0);
});

test('one search finds a studio, a person and a question, and goes there', async ({ desk, page, server }) => {
  const sessions = await openStudios(server, desk, folders.slice(0, 3), 3);
  const { room_id, name } = await agentOf(server, sessions[1]!);
  const find = async (words: string, kind: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill(words);
    await page.getByRole('option', { name: new RegExp(`${kind}$`) }).first().click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await find('mobile', 'Studio');
  await expect.poll(() => desk.camera()).toEqual({ zoomLevel: 'studio', room: room_id });
  await find(name!, 'Agent');
  await expect(page.getByRole('region', { name: `About ${name}`, exact: true })).toBeVisible();
  await expect.poll(async () => (await desk.camera()).zoomLevel).toBe('person');
  void sessions[2]!.ask('npm publish').catch(() => null); // answered when the office stops
  await expect.poll(async () => (await server.state()).decisions.length).toBe(1);
  await expect(page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Needs you: 1' })).toBeVisible();
  await find('publish', 'Question');
  await expect(desk.need).toContainText('npm publish');
});

test('two viewers see the same campus, even after a reload', async ({ desk, page, server, another }) => {
  await openStudios(server, desk, folders.slice(0, 2), 4);
  const other = await another();
  await openStudios(server, desk, folders.slice(2, 5), 6);
  const campus = await campusOf(desk);
  expect(campus, 'the house, the garden and five studios').toHaveLength(7);
  await expect.poll(() => campusOf(other)).toEqual(campus);
  await page.reload();
  await desk.waitUntilLive();
  await expect.poll(() => campusOf(desk)).toEqual(campus);
  const rooms = async (d: typeof desk) => (await d.rows()).agents!.map((a) => [a['agent_id'], a['room_id']]);
  await expect(async () => expect(await rooms(desk)).toEqual(await rooms(other))).toPass();
});

test('axe reports nothing serious at any zoom level, with any panel', async ({ desk, page, server }) => {
  const sessions = await openStudios(server, desk, folders.slice(0, 4), 12);
  await sessions[0]!.tool('toolu_1', 'Bash', { command: 'npm test' });
  void sessions[3]!.ask('npm publish').catch(() => null); // answered when the office stops
  await expect(desk.need).toContainText('npm publish');
  const panels = page.getByRole('navigation', { name: 'Panels' });
  for (const [key, zoomLevel] of [['c', 'campus'], ['s', 'studio'], ['p', 'person']] as const) {
    await page.keyboard.press(key);
    await expect.poll(async () => (await desk.camera()).zoomLevel).toBe(zoomLevel);
    for (const name of ['People', 'Chat', 'Activity', 'Events', 'Needs you']) {
      await panels.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      await expect(page.getByRole('region', { name: new RegExp(`^${name}`) })).toBeVisible();
      expect(await findings(page), `${name} at the zoom level ${zoomLevel}`).toEqual([]);
    }
  }
});
