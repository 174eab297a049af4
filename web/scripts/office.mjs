import { spawn } from 'node:child_process';

/** The flags of a headless browser without a graphics card that draws the same pixels on every run. */
export const browserArgs = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-dev-shm-usage', '--font-render-hinting=none', '--force-color-profile=srgb', '--hide-scrollbars'];

/** Starts an office on a free port with its state in `data`; stop() terminates it. */
export async function openOffice(binary, data, ...flags) {
  const child = spawn(binary, ['serve', '--no-open', '--ephemeral', '--claude-dir', 'off', '--addr', '127.0.0.1:0', '--data', data, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`the office exited with code ${code}`)));
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = /Office\s+(http:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
  });
  return { url, stop: () => child.kill('SIGTERM') };
}
