import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

/** The directory of the repository. */
export const root = join(import.meta.dirname, '..', '..');

const browserArgs = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-dev-shm-usage', '--font-render-hinting=none', '--force-color-profile=srgb', '--hide-scrollbars'];

/** Starts a headless browser that uses no graphics card and draws the same pixels on every run. */
export const openBrowser = () => chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/lib/chromium/chromium', args: browserArgs });

/** Builds the office's program in a directory, unless BULLPEN_BINARY is set; returns its path. */
export function buildOffice(directory) {
  if (process.env.BULLPEN_BINARY) return process.env.BULLPEN_BINARY;
  const binary = join(directory, 'bullpen');
  execFileSync('go', ['build', '-o', binary, './cmd/bullpen'], { cwd: root, stdio: 'inherit' });
  return binary;
}

/**
 * Starts an office on a free port. Its state is in `data`, but its ledger is in memory unless the flags say otherwise.
 * `operator` is the link that gives a browser operator access. `stop` waits until the office has exited.
 */
export async function openOffice(binary, data, ...flags) {
  const child = spawn(binary, ['serve', '--no-open', '--ephemeral', '--claude-dir', 'off', '--codex-dir', 'off', '--copilot-dir', 'off', '--addr', '127.0.0.1:0', '--data', data, '--log-level', 'warn', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url, operator] = await new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`the office exited with code ${code}`)));
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = /Office\s+(http:\S+)\s+Operator\s+(http:\S+)\s/.exec(said);
      if (found) resolve(found.slice(1));
    });
  });
  const exited = new Promise((done) => child.once('exit', done));
  return { url, operator, stop: () => (child.kill('SIGTERM'), exited) };
}
