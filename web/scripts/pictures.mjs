// Takes the pictures for docs/guide/tour.md in real offices.
import { Guests, repositories } from './guests.mjs';
import { workTogether } from './vendors.mjs';
import { becomeOperator, visit } from './visit.mjs';

/** The hours used for the day, evening and night pictures. */
const hours = { day: 11, evening: 19, night: 23 };
const request = 'Create a landing page plan + copy + design brief for a note app';

/** Takes pictures of a campus: `save(name, png)` is called for each. */
export async function pictureCampus(browser, { url, operator }, save) {
  const state = await becomeOperator(browser, operator), guests = new Guests(url);
  for (const repository of repositories.slice(0, 2)) await guests.open(repository);
  await guests.work();
  const at = await visit(browser, url, { hour: hours.evening, state });
  await take(at, save, { evening: hideOverlay });
  for (const repository of repositories.slice(2)) await guests.open(repository);
  await guests.work();
  await at.setTime(hours.day);
  await showOverlay(at);
  await take(at, save, {
    campus: foldQuestions,
    studio: ({ page }) => page.keyboard.press('2'),
    person: async ({ page }) => {
      await page.evaluate(() => {
        const { store, focus } = globalThis.__office, { agent_id: id } = store.agents.value.find((a) => a.name === 'Kaya');
        focus.selected.value = focus.lookAt.value = { kind: 'agent', id };
      });
      await page.keyboard.press('Enter');
    },
  });
  await at.page.close();
}

/** Takes a picture of a campus at night. */
export async function pictureNight(browser, { url, operator }, save) {
  const state = await becomeOperator(browser, operator), guests = new Guests(url);
  for (const repository of repositories) await guests.open(repository);
  await guests.work();
  const at = await visit(browser, url, { hour: hours.night, state });
  await take(at, save, { night: foldQuestions });
  await at.page.close();
}

/** Takes a picture of a studio in which agents from six vendors work; the list of people names their programs. */
export async function pictureVendors(browser, { url, operator }, save) {
  const state = await becomeOperator(browser, operator);
  await workTogether(url);
  const at = await visit(browser, url, { hour: hours.day, width: 1440, height: 810, state });
  await take(at, save, {
    vendors: async ({ page }) => {
      await page.keyboard.press('2');
      await page.getByRole('button', { name: 'People', exact: true }).click();
    },
  });
  await at.page.close();
}

/** Takes a picture of a campus on a phone. */
export async function picturePhone(browser, { url }, save) {
  const guests = new Guests(url);
  for (const repository of repositories) await guests.open(repository);
  await guests.work();
  const phone = await visit(browser, url, { hour: hours.day, width: 390, height: 844, scale: 2, phone: true });
  await take(phone, save, { phone: ({ page }) => page.getByRole('button', { name: 'Full-screen room' }).click() });
  await phone.page.close();
}

/**
 * Takes pictures of the house: calls `save(name, png)` for each picture, or `save(name, png, before)` for a
 * comparison.
 */
export async function pictureHouse(browser, { url }, save) {
  const close = async (at) => {
    await hideOverlay(at);
    for (const key of ['+', '+', '+']) await at.page.keyboard.press(key);
  };
  const unshaded = await visit(browser, url, { hour: hours.day, shade: false });
  let before;
  await take(unshaded, (_, png) => { before = png; }, { light: close });
  await unshaded.page.close();
  const at = await visit(browser, url, { hour: hours.day });
  await take(at, async (name, png) => { await save('light', png, before); await save(name, png); }, { idle: close });
  await showOverlay(at);
  await submit(at.page);
  await take(at, save, {
    question: async ({ page }) => {
      await page.waitForFunction(firstAskerStands, undefined, { polling: 200 });
      await page.keyboard.press('Escape');
      await page.keyboard.press('Space');
    },
  });
  await at.page.close();
}

/** Reports whether the agent with the most urgent need has reached its place. Runs in the page. */
function firstAskerStands() {
  const { needs, agents } = globalThis.__office.store, agent = agents.value.find((a) => a.agent_id === needs.value[0]?.agent_id);
  return Boolean(agent) && agent.state !== 'WalkingToPOI';
}

/** Takes a picture of the crew celebrating a completed project in the evening. */
export async function pictureFinale(browser, { url }, save) {
  const at = await visit(browser, url, { hour: hours.evening }), { page, catchUp } = at;
  await page.evaluate(keepCelebration);
  await submit(page);
  while (!(await page.evaluate(() => globalThis.__kept))) {
    await answer(page);
    await page.waitForTimeout(500);
  }
  const celebrate = (finale) => page.evaluate((to) => { globalThis.__office.focus.finale.value = to && globalThis.__finale; }, finale);
  await celebrate(false);
  await catchUp();
  await celebrate(true);
  await take(at, save, { finale: () => {} });
  await page.close();
}

/**
 * Keeps the finale, and freezes the agents once most of them stand at the trophies: a slow machine would draw them
 * only after they had left. Runs in the page.
 */
function keepCelebration() {
  const { store: { agents, scene }, focus } = globalThis.__office;
  let rows = [];
  let most = 0;
  focus.finale.subscribe((finale) => { globalThis.__finale ??= finale; });
  agents.subscribe((now) => {
    const shelf = scene.peek()?.pois.find((p) => p.type === 'trophy_shelf')?.poi_id, n = now.filter((a) => a.motion?.goal.poi_id === shelf).length;
    if (n >= most) [most, rows] = [n, now];
    if (n >= most || globalThis.__kept) return;
    globalThis.__kept = true;
    agents.value = rows;
    Object.defineProperties(agents, { value: { get: () => rows, set() {} }, peek: { value: () => rows } });
  });
}

/** Performs each action, and then takes a picture with that action's name. */
async function take(at, save, actions) {
  for (const [name, act] of Object.entries(actions)) {
    await act(at);
    await at.settle();
    await closeToasts(at);
    await connected(at);
    await save(name, await at.draw(4500));
  }
}

/** Waits until the page is connected to the office: drawing can be so slow that the page drops the connection. */
const connected = ({ page }) => page.locator('.chip-live').first().waitFor({ state: 'attached' });

/** Closes the messages at the bottom of the page, which appear when questions expire because drawing is slow. */
async function closeToasts({ page }) {
  const toasts = page.locator('.toast').getByRole('button', { name: 'Dismiss' });
  while ((await toasts.count()) > 0) await toasts.last().click({ timeout: 5000 }).catch(() => {}); // a message may disappear by itself
}

/** Collapses all but the first group of questions, so that the campus has more space. */
async function foldQuestions({ page }) {
  const inbox = page.getByRole('region', { name: 'Needs you' }), open = inbox.locator('.room-group ~ .room-group .room-head[aria-expanded="true"]');
  await inbox.locator('.room-head').first().waitFor();
  while ((await open.count()) > 0) await open.first().click();
}

/** Hides everything but the room. */
const hideOverlay = (at) => show(at, 'none');
/** Shows everything again. */
const showOverlay = (at) => show(at, '');

function show({ page }, display) {
  return page.evaluate((to) => {
    for (const part of ['#overlay', '#labels']) document.querySelector(part).style.display = to;
    // The room learns in the next frame how much of it is covered.
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, display);
}

const box = (page) => page.getByRole('textbox', { name: 'Ask the office for anything' });

/** Submits a request to the crew. */
export async function submit(page) {
  await box(page).fill(request);
  await page.keyboard.press('Enter');
}

/** Answers an open need, if there is one: approves a deliverable, or chooses the first answer. */
export async function answer(page) {
  const needs = page.getByRole('region', { name: 'Needs you' }).getByRole('article');
  if ((await needs.count()) === 0) return;
  const approve = needs.getByRole('button', { name: 'Approve', exact: true }), choose = needs.locator('.options').getByRole('button');
  const button = ((await approve.count()) > 0 ? approve : choose).first();
  await button.click({ timeout: 30_000 }).catch(ignoreTimeout); // the button may already be gone
}

function ignoreTimeout(e) { if (e.name !== 'TimeoutError') throw e; }
