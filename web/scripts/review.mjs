// Takes the picture of a review for docs/guide/repositories.md, in a real repository.
import { becomeOperator } from './visit.mjs';

const size = { width: 1280, height: 720 };

/** Sends the first version of a patch back with a comment and an agent's finding, and takes a picture of the second. */
export async function pictureReview(browser, { url, operator }, save) {
  const state = await becomeOperator(browser, operator);
  const page = await browser.newPage({ viewport: size, timezoneId: 'UTC', locale: 'en-US', storageState: state });
  page.setDefaultTimeout(120_000);
  await page.goto(`${url}/?quality=test&motion=reduced&theme=day`);
  const viewer = page.getByRole('dialog', { name: /^Deliverable/ });
  const press = (name, within = viewer) => within.getByRole('button', { name, exact: true }).click();
  const openVersion = (version) => press('Open', page.getByRole('region', { name: 'Needs you' }).getByRole('article').filter({ hasText: version }));

  await page.getByRole('combobox', { name: 'Repository' }).selectOption('shop');
  await page.getByRole('textbox', { name: 'Ask the office for anything' }).fill('Count the items of a cart');
  await page.keyboard.press('Enter');
  await openVersion('v1');
  await press('Ask another agent to review');
  await viewer.locator('.finding').waitFor();
  await comment(page, viewer, 'Round the total.');
  await press('Request changes');
  await viewer.getByRole('checkbox', { name: 'Send the findings too' }).check();
  await press('Send back');
  await page.keyboard.press('Escape');

  await openVersion('v2');
  await press('Changes since v1');
  await press('PROVEN');
  await viewer.getByRole('region', { name: 'Receipt' }).waitFor();
  await save('review', await page.screenshot({ animations: 'disabled' }));
  await page.close();
}

/** Comments on the first changed line. */
async function comment(page, viewer, text) {
  await viewer.getByRole('button', { name: 'Full size' }).click();
  const full = page.locator('.work-full');
  await full.locator('.diff-split').waitFor();
  for (const key of ['j', 'c']) await page.keyboard.press(key);
  await full.getByRole('textbox', { name: /cart\.ts/ }).fill(text);
  await page.keyboard.press('Enter');
  await full.getByText(text).waitFor();
  await page.keyboard.press('Escape');
}
