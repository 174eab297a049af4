// Records a minute with guests, for tests of the fold: Claude Code sessions seen through hooks and a transcript, a
// sub-agent, a script, a permission request that is withdrawn and a question that is answered. The recording contains
// every message between the first and the last snapshot.
//
//   bullpen serve --no-open --ephemeral --crew none --claude-dir DIR --addr 127.0.0.1:4777
//   node --experimental-websocket scripts/record_guests.mjs http://127.0.0.1:4777 DIR src/world/testdata/guests.jsonl
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const [address, claude, target] = process.argv.slice(2);
const transcript = join(import.meta.dirname, '..', '..', 'agents', 'claude', 'translate', 'testdata', 'transcript.jsonl');
const log = [];
const wanted = new Set(['event', 'agent_goal', 'chat', 'hud', 'ui', 'snapshot']);
let made = 0;
let newest = null;

const socket = new WebSocket(new URL('/ws/world', address.replace(/^http/, 'ws')));
const post = (type, payload) => socket.send(JSON.stringify({ type, id: `rec_${++made}`, ts: Date.now(), v: 1, payload }));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const say = (kind, agent, body) => fetch(`${address}/v1/ui/${kind}?agent=${agent}&run=r1`, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }).then((r) => r.json());

function hook(session_id, hook_event_name, more = {}, signal) {
  const body = JSON.stringify({ session_id, transcript_path: `/home/dev/.claude/projects/x/${session_id}.jsonl`, cwd: '/home/dev/shop', prompt_id: '7f7f', permission_mode: 'default', hook_event_name, ...more });
  return fetch(`${address}/hooks/claude`, { method: 'POST', body, ...(signal && { signal }) });
}

socket.addEventListener('open', () => post('hello', { client: { id: 'recorder', name: 'recorder' }, supported_versions: [1] }));
socket.addEventListener('message', ({ data }) => {
  const m = JSON.parse(data);
  if (m.type === 'hello_ack') post('subscribe', { scene_id: 'cozy_office_v0', channels: { events: true, snapshots: true, goals: true, chat: true, hud: true, ui: true } });
  if (m.type === 'snapshot') newest = m;
  if (!wanted.has(m.type)) return;
  // Only the first and the last snapshot matter.
  if (m.type === 'snapshot' && log.length === 0) void play();
  if (m.type !== 'snapshot' || log.length === 0) log.push(m);
});

async function play() {
  const session = '0e0e0e0e-0000-4000-8000-000000000001';
  const file = join(claude, 'projects', '-home-dev-shop', 'ac71de37-4aee-4961-8340-fa7226ffd1c5.jsonl');
  await mkdir(dirname(file), { recursive: true });
  await cp(transcript, file);
  await hook(session, 'SessionStart', { source: 'startup', model: 'claude-opus-4-8' });
  await hook(session, 'UserPromptSubmit', { prompt: 'Make the cart tests pass' });
  await hook(session, 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'toolu_1' });
  await hook(session, 'SubagentStart', { agent_id: 'a1', agent_type: 'Explore' });
  await say('status', 'nightly', 'Compiling');
  await say('progress', 'nightly', { text: 'Compiling', percent: 40 });
  await pause(2500);
  const gone = new AbortController();
  const asked = hook(session, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'npm publish' }, permission_suggestions: [] }, gone.signal).catch(() => null);
  const { decision_id } = await say('ask', 'nightly', { prompt: 'Which colour?', options: ['Red', 'Blue'] });
  await pause(2000);
  post('command', { name: 'resolve_decision', data: { decision_id, choice: 'Blue' } });
  gone.abort();
  await asked;
  await hook(session, 'PostToolUse', { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'toolu_1', tool_response: { stdout: 'ok', stderr: '' }, duration_ms: 900 });
  await hook(session, 'SubagentStop', { agent_id: 'a1', agent_type: 'Explore' });
  await hook(session, 'SessionEnd', { reason: 'prompt_input_exit' });
  const last = () => Math.max(...log.map((m) => m.payload.seq ?? 0));
  do await pause(3000);
  while (newest.payload.seq !== last() || Date.now() - log.at(-1).ts < 4000);
  await writeFile(target, [...log, newest].map((m) => `${JSON.stringify(m)}\n`).join(''));
  console.log(`${log.length + 1} messages in ${target}`);
  process.exit(0);
}
