import { defineConfig } from '@playwright/test';

// Browser flags for all tests: software GL for the room only, no background networking, the same
// pixels on every run. Screenshots depend on the Chromium version and the fonts of the Debian
// release they were taken on.
const args = [
  '--no-sandbox', '--disable-gpu-watchdog', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-rasterization',
  '--disable-gpu-compositing', '--disable-accelerated-2d-canvas', '--disable-dev-shm-usage', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic', '--font-render-hinting=none',
  '--force-color-profile=srgb', '--hide-scrollbars',
];

// A generous timeout in ms: tests wait for conditions and never depend on the machine's speed.
const waitLimit = 120_000;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.test.ts',
  globalSetup: './e2e/build.ts',
  timeout: 5 * waitLimit,
  workers: 2, // a waiting test hardly uses its core, because it draws few pixels
  fullyParallel: false,
  forbidOnly: true,
  reporter: [['list']],
  outputDir: '../.cache/browser-tests',
  snapshotPathTemplate: '{testDir}/shots/{arg}{ext}',
  expect: {
    timeout: waitLimit,
    toHaveScreenshot: { maxDiffPixelRatio: 0.01, threshold: 0.2, animations: 'disabled', caret: 'hide', scale: 'css' },
  },
  use: {
    viewport: { width: 1280, height: 720 },
    deviceScaleFactor: 0.25, // few pixels, because software GL is slow; tests that compare screenshots use 1
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
    actionTimeout: waitLimit,
    trace: 'retain-on-failure',
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? '/usr/lib/chromium/chromium', args },
  },
});
