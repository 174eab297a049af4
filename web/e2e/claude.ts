import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const agents = new URL('../../.cache/agents/claude/', import.meta.url);

/** The path of the real Claude Code that `make agents` installs. */
const claudeProgram = fileURLToPath(new URL('node_modules/.bin/claude', agents));

/** True if Claude Code is fully installed. Trying the program is not enough: it may start even if it is incomplete. */
export const claudeInstalled = existsSync(new URL('installed', agents));

/** Returns the stub model's answer as stream events: a tool call with the command in step 0, then text. */
function answer(step: number, command: string): object[] {
  const block = step === 0 ? { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} } : { type: 'text', text: '' };
  const delta = step === 0 ? { type: 'input_json_delta', partial_json: JSON.stringify({ command, description: 'make it' }) } : { type: 'text_delta', text: 'done' };
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    { type: 'message_start', message: { id: `msg_${step}`, type: 'message', role: 'assistant', model: 'stub', content: [], stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: step === 0 ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

/** Starts a stub of the Messages API. Its model calls a tool that runs one command. */
async function startModel(command: string): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) return void response.end('{}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const step = body.includes('tool_result') ? 1 : 0;
      for (const event of answer(step, command) as { type: string }[]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => (server.closeAllConnections(), server.close()) };
}

/** A session of the real Claude Code that sends its hooks to an office. */
export interface Session {
  place: string;
  ended: Promise<number | null>;
  stop(): Promise<void>;
}

export async function startClaude(office: string, command: string): Promise<Session> {
  const model = await startModel(command);
  const place = await mkdtemp(join(tmpdir(), 'bullpen-claude-'));
  const hook = { hooks: [{ type: 'http', url: `${office}/hooks/claude`, timeout: 600 }] };
  const settings = join(place, 'settings.json');
  await writeFile(settings, JSON.stringify({ hooks: { UserPromptSubmit: [hook], PreToolUse: [hook], PostToolUse: [hook], PermissionRequest: [hook], Stop: [hook] } }));
  const flags = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--permission-prompt-tool', 'stdio', '--settings', settings];
  const child = spawn(claudeProgram, flags, {
    cwd: place,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH, HOME: place, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Make the file.' } })}\n`);
  return {
    place,
    ended,
    stop: async () => {
      child.stdin.end();
      child.kill('SIGKILL');
      await ended;
      model.stop();
      await rm(place, { recursive: true, force: true, maxRetries: 10 }); // child processes may still write here
    },
  };
}
