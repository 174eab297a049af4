import { expect, type Locator, type Page } from '@playwright/test';

/** The part of window.__office that tests use. */
interface Hooks {
  frames(): number;
  step(ms: number): void;
  store: Record<'agents' | 'projects' | 'tasks' | 'artifacts' | 'decisions' | 'decor' | 'needs', { value: readonly Record<string, unknown>[] }> & { seq: { value: number }; scene: { value: unknown } };
  focus: {
    drag: { value: { over: string | null } | null };
    zoomLevel: { value: string };
    room: { value: string | null };
  };
}

export type Rows = Record<string, readonly Record<string, unknown>[]>;

/** A person using the client. Controls are found by their accessible names, as a screen reader finds them. */
export class Desk {
  constructor(readonly page: Page) {}

  get requestBox(): Locator {
    return this.page.getByRole('textbox', { name: 'Ask the office for anything' });
  }

  get project(): Locator {
    return this.page.getByRole('region', { name: 'Project', exact: true });
  }

  get inbox(): Locator {
    return this.page.getByRole('region', { name: 'Needs you' });
  }

  /** The open need in the inbox. */
  get need(): Locator {
    return this.inbox.getByRole('article');
  }

  get autoAssign(): Locator {
    return this.project.getByRole('button', { name: /^Auto-assign/ });
  }

  /** Makes the plans of later requests wait for approval. */
  async planFirst(): Promise<void> {
    await this.page.getByRole('button', { name: 'Start work automatically', pressed: true }).click();
  }

  async open(url: string, query = '?quality=test&motion=reduced'): Promise<void> {
    await this.page.goto(`${url}/${query}`);
    await this.waitUntilLive();
  }

  async waitUntilLive(): Promise<void> {
    await expect(this.page.getByRole('status').filter({ hasText: /^Live$/ })).toBeVisible();
  }

  /** Submits a request with the mouse; only the text is typed. */
  async submitRequest(text: string, timeout?: number): Promise<void> {
    const options = timeout === undefined ? {} : { timeout };
    await this.requestBox.click(options);
    await this.requestBox.fill(text, options);
    await this.page.getByRole('button', { name: 'Send', exact: true }).click(options);
    await expect(this.requestBox).toHaveValue('', options);
  }

  /** Waits for a need; returns whether it is a question or a review. */
  async waitForNeed(): Promise<'question' | 'review'> {
    await expect(this.need).toBeVisible();
    return (await this.approveButton.count()) > 0 ? 'review' : 'question';
  }

  get approveButton(): Locator {
    return this.need.getByRole('button', { name: 'Approve', exact: true });
  }

  /** The first answer to a question; matches nothing if a review has replaced the question. */
  get firstOption(): Locator {
    const review = this.page.getByRole('button', { name: 'Approve', exact: true });
    return this.need.filter({ hasNot: review }).locator('.options').getByRole('button').first();
  }

  /** Answers every question and approves every review, pressing buttons with `press`, until the project is completed. */
  async completeProject(press: (button: Locator) => Promise<void>): Promise<void> {
    await expect(async () => {
      if ((await this.need.count()) > 0) {
        const button = (await this.approveButton.count()) > 0 ? this.approveButton : this.firstOption;
        await press(button);
      }
      expect(await this.project.textContent()).toContain('Completed');
    }).toPass({ intervals: [100] });
  }

  /** Returns the client's rows, without positions and motions. */
  async rows(): Promise<Rows> {
    return (await this.state()).rows;
  }

  /** Returns the client's rows and their seq. */
  state(): Promise<{ seq: number; rows: Rows }> {
    return this.page.evaluate(() => {
      const { store } = (globalThis as unknown as { __office: Hooks }).__office;
      const plain = (name: keyof Rows) => (store[name as 'agents']).value.map((row) => {
        const { pos: _p, facing: _f, motion: _m, ...rest } = row;
        return rest;
      });
      return { seq: store.seq.value, rows: Object.fromEntries(['agents', 'projects', 'tasks', 'artifacts', 'decisions', 'decor'].map((name) => [name, plain(name)])) };
    });
  }

  seq(): Promise<number> {
    return this.page.evaluate(() => (globalThis as unknown as { __office: Hooks }).__office.store.seq.value);
  }

  frames(): Promise<number> {
    return this.page.evaluate(() => (globalThis as unknown as { __office: Hooks }).__office.frames());
  }

  /** Stops the room's clock and advances it by ms. */
  step(ms: number): Promise<void> {
    return this.page.evaluate((by) => (globalThis as unknown as { __office: Hooks }).__office.step(by), ms);
  }

  /**
   * Reports whether the client has loaded the room and applied all records up to seq; it may not have drawn them yet.
   */
  hasApplied(seq: number): Promise<boolean> {
    return this.page.evaluate((to) => {
      const { store } = (globalThis as unknown as { __office?: Hooks }).__office ?? {};
      return store !== undefined && store.scene.value !== null && store.seq.value >= to;
    }, seq);
  }

  /** Returns the camera's zoom level, and the room in view: "" for the house, null for the campus. */
  camera(): Promise<{ zoomLevel: string; room: string | null }> {
    return this.page.evaluate(() => {
      const { zoomLevel, room } = (globalThis as unknown as { __office: Hooks }).__office.focus;
      return { zoomLevel: zoomLevel.value, room: room.value };
    });
  }

  /** Returns the id of the agent below the dragged card, or null. */
  over(): Promise<string | null> {
    return this.page.evaluate(() => (globalThis as unknown as { __office: Hooks }).__office.focus.drag.value?.over ?? null);
  }

  /** Drops the dragged card; returns the id of the agent below it at that moment, or null. */
  async drop(): Promise<string | null> {
    const below = await this.page.evaluateHandle(() => {
      const said: { over?: string | null } = {};
      const { focus } = (globalThis as unknown as { __office: Hooks }).__office;
      addEventListener('pointerup', () => (said.over = focus.drag.value?.over ?? null), { capture: true, once: true });
      return said;
    });
    await this.page.mouse.up();
    await expect.poll(() => below.evaluate((said) => said.over)).not.toBe(undefined);
    return below.evaluate((said) => said.over ?? null);
  }
}
