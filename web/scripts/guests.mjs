// Simulates Claude Code sessions that work in several repositories and report to an office through hooks.
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';

/** The people who work in each repository, in the order their studios open. */
const teams = {
  'shop-api': ['Iris', 'Jonas', 'Kaya', 'Ravi', 'Noor', 'Levi', 'Otis', 'Suki', 'Pia', 'Mina', 'Quin'],
  mobile: ['Emil', 'Tara', 'Hana', 'Odin', 'Vera', 'Cato', 'Lena', 'Milo', 'Runa'],
  billing: ['Petra', 'Anton', 'Bea', 'Carl', 'Dina', 'Egon', 'Fia', 'Gus', 'Hedy', 'Ivo'],
  'docs-site': ['Juno', 'Kira', 'Lars', 'Maja', 'Nils', 'Olga', 'Per', 'Romy', 'Sten', 'Thea', 'Ulla'],
  infra: ['Viggo', 'Wilma', 'Xaver', 'Yara', 'Zeno', 'Alma', 'Boris', 'Clio', 'Dario', 'Elsa'],
};
/** The repositories of all teams. */
export const repositories = Object.keys(teams);

/** The commands that need a person's permission, by the name of the agent that runs them. */
const questions = { Iris: 'npm run deploy -- --build 1408', Juno: 'git push --force-with-lease' };

const tools = [
  ['Edit', { file_path: 'src/cart.ts', old_string: 'sum += item.price;\n', new_string: 'sum += item.price * item.count;\n' }],
  ['Read', { file_path: 'src/server.ts' }],
  ['Bash', { command: 'npm test', description: 'Run the tests' }],
  ['Write', { file_path: 'src/totals.test.ts', content: "test('adds items', () => {});\n" }],
  ['Grep', { pattern: 'applyDiscount', path: 'src' }],
];

/**
 * Sends a hook event from a vendor's program; resolves when the office has responded. Unlike fetch, it has no
 * timeout.
 */
export function send(url, vendor, body) {
  return new Promise((resolve, reject) => {
    request(new URL(`/hooks/${vendor}`, url), { method: 'POST' }, (reply) => reply.resume().on('end', resolve)).on('error', reject).end(JSON.stringify(body));
  });
}

/** Waits until no guest is walking. */
export async function waitUntilSeated(url) {
  for (;;) {
    const { agents } = await (await fetch(new URL('/v1/state', url))).json();
    if (!agents.some((a) => a.source && a.state.startsWith('Walking'))) return;
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** A simulated session, named after the folder it works in. */
class Session {
  #id = randomUUID();
  #prompt = randomUUID();
  #asks = false;
  #calls = 0;

  constructor(url, repository, name) { Object.assign(this, { url, repository, name }); }

  #hook(hook_event_name, more = {}, folder = `${this.repository}/${this.name}`) {
    return send(this.url, 'claude', { session_id: this.#id, transcript_path: `/home/dev/.claude/projects/x/${this.#id}.jsonl`, cwd: `/home/dev/${folder}`, permission_mode: 'default', prompt_id: this.#prompt, hook_event_name, ...more });
  }

  async start() {
    await this.#hook('SessionStart', { source: 'startup', model: 'claude-opus-4-8' }, this.repository);
    await this.#hook('UserPromptSubmit', { prompt: `Make the ${this.repository} tests pass` });
  }

  async startSubagents() {
    for (const agent_type of ['Explore', 'Plan']) {
      await this.#hook('SubagentStart', { agent_id: agent_type, agent_type });
      await this.#hook('PreToolUse', { agent_id: agent_type, agent_type, tool_name: 'Grep', tool_input: { pattern: 'applyDiscount' }, tool_use_id: `toolu_${agent_type}` });
    }
  }

  async endTurn() { await this.#hook('Stop', { stop_hook_active: false }); }

  /** Uses another tool. */
  async work() {
    const [tool_name, tool_input] = tools[(this.#calls + this.name.length) % tools.length], call = (n) => ({ tool_name, tool_input, tool_use_id: `toolu_${n}` });
    if (this.#calls > 0) await this.#hook('PostToolUse', { ...call(this.#calls), tool_response: {}, duration_ms: 900 });
    await this.#hook('PreToolUse', call(++this.#calls));
  }

  /**
   * Asks for permission, unless a question is open. Nobody answers: the request ends when it expires or the office
   * stops.
   */
  ask(command) {
    if (this.#asks) return;
    this.#asks = true;
    const asked = () => { this.#asks = false; };
    this.#hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command } }).then(asked, asked);
  }
}

/** The simulated sessions that report to one office. */
export class Guests {
  #sessions = [];

  constructor(url) { this.url = url; }

  /** Starts the sessions of a repository. */
  async open(repository) {
    for (const [i, name] of teams[repository].entries()) {
      const session = new Session(this.url, repository, name);
      this.#sessions.push({ session, rests: i % 5 === 4 });
      await session.start();
      if (i % 4 === 2) await session.startSubagents();
      if (i % 5 === 4) await session.endTurn();
    }
  }

  /**
   * Makes every agent that is not resting report something, because the office treats silent agents as idle. Then
   * waits until all are seated.
   */
  async work() {
    for (const { session, rests } of this.#sessions) {
      if (questions[session.name]) session.ask(questions[session.name]);
      else if (!rests) await session.work();
    }
    await waitUntilSeated(this.url);
  }
}
