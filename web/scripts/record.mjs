// Records one conversation with a running office, for tests of the fold: the first snapshot, every message until the
// project is completed, and a snapshot after that. The script plays a person: it submits a request, assigns tasks,
// answers questions, sends one deliverable back and approves the rest.
//
//   node --experimental-websocket scripts/record.mjs http://127.0.0.1:4777 src/world/testdata/first_minute.jsonl
import { writeFile } from 'node:fs/promises';

const [address = 'http://127.0.0.1:4777', target = 'src/world/testdata/first_minute.jsonl'] = process.argv.slice(2);
const socket = new WebSocket(new URL('/ws/world', address.replace(/^http/, 'ws')));
const log = [];
const wanted = new Set(['event', 'agent_goal', 'chat', 'hud', 'snapshot']);
let made = 0;
let sentBack = false;
let over = false;
let lastSeq = 0;

const post = (type, payload) => socket.send(JSON.stringify({ type, id: `rec_${++made}`, ts: Date.now(), v: 1, payload }));
const command = (name, data) => post('command', { name, data });

const answers = {
  tasks_created: (e) => command('auto_assign', { project_id: e.project_id }),
  decision_requested: ({ decision: d }) => command('resolve_decision', { decision_id: d.decision_id, choice: d.options[0] ?? 'yes' }),
  review_requested: review,
  project_completed: () => (over = true),
};

function review({ artifact_id }) {
  if (sentBack) return command('approve_artifact', { artifact_id });
  sentBack = true;
  return command('request_changes', { artifact_id, instructions: 'Shorter, please.' });
}

socket.addEventListener('open', () => {
  post('hello', { client: { id: 'recorder', name: 'recorder' }, supported_versions: [1] });
});
socket.addEventListener('message', ({ data }) => {
  const m = JSON.parse(data);
  if (m.type === 'hello_ack') {
    const channels = { events: true, snapshots: true, goals: true, chat: true, hud: true };
    post('subscribe', { scene_id: 'cozy_office_v0', channels });
    setTimeout(() => command('submit_request', { text: 'A landing page for a small bakery' }), 300);
  }
  if (m.type === 'error') console.error('refused:', m.payload.message);
  if (!wanted.has(m.type)) return;
  // Only the first and the last snapshot matter.
  if (m.type !== 'snapshot' || log.length === 0) log.push(m);
  if (m.type === 'event') answers[m.payload.name]?.(m.payload);
  if (m.type === 'snapshot' && over && m.payload.seq === lastSeq && m.ts - log.at(-1).ts > 3000) void finish(m);
  lastSeq = Math.max(lastSeq, m.payload.seq ?? 0);
});
socket.addEventListener('close', ({ code }) => console.error('closed', code));

async function finish(last) {
  log.push(last);
  await writeFile(target, log.map((m) => `${JSON.stringify(m)}\n`).join(''));
  console.log(`${log.length} messages in ${target}`);
  process.exit(0);
}
