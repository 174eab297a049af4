import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { slimThree } from './three_slim.ts';

// The server that `npm run dev` talks to.
const office = process.env.BULLPEN_URL ?? 'http://127.0.0.1:4777';

// The office takes sockets from its own pages only, so the proxy speaks as one of them.
// Where it needs a token, it gets the one of BULLPEN_TOKEN.
const token = process.env.BULLPEN_TOKEN;
const headers = { origin: office, ...(token && { authorization: `Bearer ${token}` }) };
const door = { target: office, changeOrigin: true, headers };

/** Lets the page ask for the room's scripts together with its own, not after them. */
function preloadRoom(): Plugin {
  return {
    name: 'preload-room',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) => Object.values(bundle ?? {}).filter((c) => c.type === 'chunk' && ['three', 'room'].includes(c.name))
        .map(({ fileName }) => ({ tag: 'link', injectTo: 'head' as const, attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` } })),
    },
  };
}

export default defineConfig({
  plugins: [slimThree(), preloadRoom()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // A file of its own for everything: the policy allows no data: fonts, and hashes keep the rest cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // KB; check:size has the limit that counts
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'three', test: /node_modules[\\/]three[\\/]/ }] } } },
  },
  server: { proxy: { '/ws': { ...door, ws: true }, '/v1': door } },
  test: {
    environment: 'happy-dom',
    restoreMocks: true,
    unstubGlobals: true,
    // Generous on purpose: no test depends on how fast the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A DOM and modules of its own for every file cost more CPU than the tests. Only the overlay needs them: Preact
    // keeps queues of effects, and a clock that a test replaced can leave one that is never flushed.
    projects: [
      { extends: true, test: { name: 'overlay', include: ['src/overlay/**/*.test.{ts,tsx}'] } },
      { extends: true, test: { name: 'rest', include: ['src/**/*.test.{ts,tsx}'], exclude: ['src/overlay/**'], isolate: false } },
    ],
  },
});
