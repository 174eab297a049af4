import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { slimThree } from './three_slim.ts';

// The office that `npm run dev` connects to.
const office = process.env.BULLPEN_URL ?? 'http://127.0.0.1:4777';

// The office accepts sockets only from its own pages, so the proxy sends the office's origin.
// BULLPEN_TOKEN is the access token, if the office needs one.
const token = process.env.BULLPEN_TOKEN;
const headers = { origin: office, ...(token && { authorization: `Bearer ${token}` }) };
const door = { target: office, changeOrigin: true, headers };

/**
 * Makes the page preload the room's scripts and all their imports together with its own scripts, not after them.
 */
function preloadRoom(): Plugin {
  return {
    name: 'preload-room',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle }) => {
        const chunks = Object.values(bundle ?? {}).filter((c) => c.type === 'chunk');
        const [page, room] = ['index', 'room'].map((name) => chunks.find((c) => c.name === name));
        return [room?.fileName, ...(room?.imports.filter((name) => !page?.imports.includes(name) && name !== page?.fileName) ?? [])]
          .map((name) => ({ tag: 'link', injectTo: 'head' as const, attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` } }));
      },
    },
  };
}

export default defineConfig({
  plugins: [slimThree(), preloadRoom()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // Never inline assets: the Content Security Policy forbids data: fonts, and hashed files stay cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // KB; check:size enforces the real limit
    rolldownOptions: { output: { codeSplitting: { groups: [
      { name: 'three', test: /node_modules[\\/]three[\\/]/ },
      // One chunk for code that several chunks share: it compresses better than ten small ones.
      { name: 'shared', test: /^(?!.*[\\/]scene[\\/])/, minShareCount: 2 },
    ] } } },
  },
  server: { proxy: { '/ws': { ...door, ws: true }, '/v1': door } },
  test: {
    environment: 'happy-dom',
    restoreMocks: true,
    unstubGlobals: true,
    // Generous on purpose: no test depends on the machine's speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A separate DOM and module graph for every file would cost more CPU time than the tests. Only the overlay needs
    // them: Preact queues effects, and a test that replaces the clock can leave a queue that is never flushed.
    projects: [
      { extends: true, test: { name: 'overlay', include: ['src/overlay/**/*.test.{ts,tsx}'] } },
      { extends: true, test: { name: 'rest', include: ['src/**/*.test.{ts,tsx}'], exclude: ['src/overlay/**'], isolate: false } },
    ],
  },
});
