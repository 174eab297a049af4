import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from './server.ts';

/** A machine that has joined the office, as a process with its own data directory. */
export interface Outpost {
  /** The address of the hook endpoint. */
  url: string;
  /** Makes the outpost leave the office. */
  leave(): Promise<void>;
}

/** Runs `bullpen join` and waits until the machine has joined the office. */
export async function joinOffice(server: Server, name: string): Promise<Outpost> {
  const binary = process.env.BULLPEN_BINARY!;
  const data = await mkdtemp(join(tmpdir(), 'bullpen-outpost-'));
  const made = execFileSync(binary, ['token', 'create', '--data', server.data, '--role', 'outpost', '--name', name, '--json'], { encoding: 'utf8' });
  const file = join(data, 'office.token');
  await writeFile(file, (JSON.parse(made) as { token: string }).token, { mode: 0o600 });
  const child = spawn(binary, ['join', server.url, '--token-file', file, '--data', data, '--claude-dir', 'off', '--log-level', 'warn'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`the outpost exited with code ${code}:\n${said}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /Hooks\s+(http:\S+)\s/.exec(said);
      if (found) resolve(found[1]!);
    });
  });
  return {
    url,
    leave: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}
