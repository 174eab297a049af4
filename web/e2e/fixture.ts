import { test as base, expect, type BrowserContext } from '@playwright/test';
import { Desk } from './desk.ts';
import { startServer, type Server } from './server.ts';

interface Options {
  /** How many times faster than real time the office runs. */
  pace: number;
  /** The rehearsal crew, or no crew. */
  crew: 'rehearsal' | 'none';
  /** The path of a scene file; empty means the built-in scene. */
  scene: string;
  /** Whether agents that work in a folder get a studio. */
  studios: boolean;
}

interface Fixtures {
  server: Server;
  /** Content Security Policy violations, errors and requests to other origins, from all pages; each fails the test. */
  offences: string[];
  /** The client, opened and connected. */
  desk: Desk;
  /** Opens the same office in another browser profile, through `link` if given. */
  another: (query?: string, link?: string) => Promise<Desk>;
}

/** Gives every test its own office. Fails a test if a page causes one of the offences that Fixtures describes. */
export const test = base.extend<Options & Fixtures>({
  pace: [20, { option: true }],
  crew: ['rehearsal', { option: true }],
  scene: ['', { option: true }],
  studios: [true, { option: true }],

  server: async ({ pace, crew, scene, studios }, use) => {
    const server = await startServer(['--pace', String(pace), '--crew', crew, ...(scene ? ['--scene', scene] : []), ...(studios ? [] : ['--studios=false'])]);
    await use(server);
    await server.stop();
  },

  offences: [
    async ({ context, server }, use) => {
      const found: string[] = [];
      watch(context, server.url, found);
      await use(found);
      expect(found, 'policy violations, errors and requests to other origins').toEqual([]);
    },
    { auto: true },
  ],

  desk: async ({ page, server, offences: _ }, use) => {
    const desk = new Desk(page);
    await desk.open(server.url);
    await use(desk);
  },

  another: async ({ browser, server, offences, deviceScaleFactor }, use) => {
    const open: BrowserContext[] = [];
    await use(async (query, link) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, deviceScaleFactor });
      open.push(context);
      watch(context, server.url, offences);
      if (link) await context.request.get(link); // not in a page, which would draw the office only to leave it again
      const desk = new Desk(await context.newPage());
      await desk.open(server.url, query);
      return desk;
    });
    await Promise.all(open.map((context) => context.close()));
  },
});

function watch(context: BrowserContext, origin: string, found: string[]): void {
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) found.push(`request: ${request.url()}`);
  });
  context.on('console', (message) => {
    if (/content security policy|trusted ?type/i.test(message.text())) found.push(`policy: ${message.text()}`);
  });
  context.on('weberror', (thrown) => found.push(`error: ${thrown.error().stack ?? thrown.error().message}`));
  context.on('page', (page) => {
    page.on('websocket', (socket) => {
      if (new URL(socket.url()).host !== new URL(origin).host) found.push(`socket: ${socket.url()}`);
    });
  });
}

export { expect };
