import { defineConfig } from 'vitest/config';

// The server that `npm run dev` talks to.
const office = process.env.BULLPEN_URL ?? 'http://127.0.0.1:4777';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'three', test: /node_modules[\\/]three/ }] } } },
  },
  server: { proxy: { '/ws': { target: office, ws: true, changeOrigin: true }, '/v1': { target: office, changeOrigin: true } } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}'] },
});
