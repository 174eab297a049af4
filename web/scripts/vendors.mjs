// Simulates sessions of several vendors' programs in one repository. Each sends what the vendor's own hooks send.
import { randomUUID } from 'node:crypto';
import { send, waitUntilSeated } from './guests.mjs';

const repository = '/home/dev/shop-api';
const prompt = 'Make the cart tests pass';

/** The agents, each with its vendor and the tool call it is busy with. */
const agents = [
  { name: 'Iris', vendor: 'claude', tool_name: 'Edit', tool_input: { file_path: 'src/cart.ts', old_string: 'sum += item.price;\n', new_string: 'sum += item.price * item.count;\n' } },
  { name: 'Jonas', vendor: 'claude', tool_name: 'Bash', tool_input: { command: 'npm test', description: 'Run the tests' } },
  { name: 'Ravi', vendor: 'codex', tool_name: 'Bash', tool_input: { command: 'npm run lint' } },
  { name: 'Kaya', vendor: 'codex', tool_name: 'Bash', tool_input: { command: 'npm run check:types' } },
  { name: 'Noor', vendor: 'opencode', tool_name: 'bash', tool_input: { command: 'npm run build', description: 'Build the client' } },
  { name: 'Otis', vendor: 'opencode', tool_name: 'read', tool_input: { filePath: 'src/server.ts' } },
  { name: 'Suki', vendor: 'gemini', tool_name: 'write_file', tool_input: { file_path: 'src/totals.test.ts', content: "test('adds items', () => {});\n" } },
  { name: 'Mina', vendor: 'gemini', tool_name: 'run_shell_command', tool_input: { command: 'git log --oneline -20' } },
  { name: 'Pia', vendor: 'qwen', tool_name: 'read_file', tool_input: { file_path: 'src/discount.ts' } },
  { name: 'Quin', vendor: 'copilot', tool_name: 'bash', tool_input: { command: 'npm audit', description: 'Check the dependencies' } },
];

/**
 * Returns a function that returns a session's events, for programs whose hooks use Claude Code's names and fields.
 * `more` is added to every event.
 */
const claudeLike = (more = {}) => ({ session_id, tool_name, tool_input, at }) => [
  { ...more, ...at(repository), session_id, hook_event_name: 'SessionStart', source: 'startup' },
  { ...more, ...at(), session_id, hook_event_name: 'UserPromptSubmit', prompt },
  { ...more, ...at(), session_id, hook_event_name: 'PreToolUse', tool_name, tool_input, tool_use_id: 'call_1' },
];

/** The events of a session, by vendor: its start, its prompt and the start of a tool call. */
const vendors = {
  claude: claudeLike({ prompt_id: randomUUID(), permission_mode: 'default', model: 'claude-opus-4-8' }),
  codex: claudeLike({ turn_id: randomUUID(), permission_mode: 'default', model: 'gpt-5.5-codex' }),
  qwen: claudeLike({ timestamp: new Date().toISOString() }),
  copilot: claudeLike({ timestamp: Date.now() }),
  gemini: ({ session_id, tool_name, tool_input, at }) => [
    { ...at(repository), session_id, hook_event_name: 'SessionStart', source: 'startup' },
    { ...at(), session_id, hook_event_name: 'BeforeAgent', timestamp: new Date().toISOString(), prompt },
    { ...at(), session_id, hook_event_name: 'BeforeTool', tool_name, tool_input },
  ],
  opencode: ({ session_id, tool_name, tool_input, at }) => [
    ['session.created', { info: { id: session_id, directory: repository } }],
    ['session.updated', { info: { id: session_id, directory: at().cwd } }],
    ['message.updated', { info: { id: 'msg_1', role: 'user', model: { modelID: 'glm-5' } } }],
    ['message.part.updated', { part: { id: 'prt_1', type: 'text', messageID: 'msg_1', text: prompt } }],
    ['message.part.updated', { part: { id: 'prt_2', type: 'tool', messageID: 'msg_2', tool: tool_name, callID: 'call_1', state: { status: 'running', input: tool_input } } }],
  ].map(([hook_event_name, properties], i) => ({ hook_event_name, session_id, event_id: `evt_${i}`, cwd: repository, properties })),
};

/** Sets all agents to work, and waits until they are seated. */
export async function workTogether(url) {
  for (const { name, vendor, tool_name, tool_input } of agents) {
    const session_id = randomUUID(), at = (cwd = `${repository}/${name}`) => ({ cwd });
    for (const event of vendors[vendor]({ session_id, tool_name, tool_input, at })) await send(url, vendor, event);
  }
  await waitUntilSeated(url);
}
