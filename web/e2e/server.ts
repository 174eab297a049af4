import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '../src/contracts/protocol.gen.ts';

const START_MS = 120_000;
const END_MS = 60_000;

/** A real office on a free port, with its own data directory. */
export interface Server {
  url: string;
  /** The one-time link that gives a browser operator access. */
  operatorLink: string;
  /** The office's data directory, which contains the owner token. */
  data: string;
  /** Returns the whole state from /v1/state. */
  state(): Promise<Snapshot>;
  stop(): Promise<void>;
}

export async function startServer(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const binary = process.env.BULLPEN_BINARY;
  if (!binary) throw new Error('BULLPEN_BINARY is not set; e2e/build.ts sets it');
  const data = await mkdtemp(join(tmpdir(), 'bullpen-office-'));
  const child = spawn(binary, ['serve', '--no-open', '--addr', '127.0.0.1:0', '--data', data, '--log-level', 'warn', '--claude-dir', 'off', ...flags], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  let printed = '';
  const [url, operatorLink] = await new Promise<[string, string]>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the office did not start in time:\n${said}`)), START_MS);
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      printed += chunk.toString();
      const found = /Office\s+(http:\S+)\s+Operator\s+(http:\S+)\s/.exec(printed);
      if (!found) return;
      clearTimeout(late);
      resolve([found[1]!.replace(/\/$/, ''), found[2]!]);
    };
    child.stdout.on('data', listen);
    // Read the log separately: log lines may appear in the middle of the printed lines.
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the office exited with code ${code}:\n${said}`)));
  });
  return {
    url,
    operatorLink,
    data,
    state: async () => (await (await fetch(`${url}/v1/state`)).json()) as Snapshot,
    stop: async () => {
      child.kill('SIGTERM');
      const forced = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await ended;
      clearTimeout(forced);
      await rm(data, { recursive: true, force: true });
    },
  };
}
