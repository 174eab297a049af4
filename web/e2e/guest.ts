import { randomUUID } from 'node:crypto';
import type { Server } from './server.ts';

/** A simulated Claude Code session that sends hooks to the office. */
export class Session {
  readonly id = randomUUID();
  private readonly prompt = randomUUID();

  constructor(private readonly server: Server, readonly place: string) {}

  /** Sends a hook and returns the response that Claude Code would receive. */
  hook(name: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
    const body = { session_id: this.id, transcript_path: `/home/dev/.claude/projects/x/${this.id}.jsonl`, cwd: this.place, permission_mode: 'default', prompt_id: this.prompt, hook_event_name: name, ...more };
    return fetch(`${this.server.url}/hooks/claude`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), ...(signal && { signal }) });
  }

  async start(prompt: string): Promise<void> {
    await this.hook('SessionStart', { source: 'startup', model: 'claude-opus-4-8' });
    await this.hook('UserPromptSubmit', { prompt });
  }

  tool(id: string, tool_name: string, tool_input: object): Promise<Response> {
    return this.hook('PreToolUse', { tool_name, tool_input, tool_use_id: id });
  }

  /** Ends a tool call with the tool's result. */
  done(id: string, tool_name: string, tool_input: object, tool_response: object): Promise<Response> {
    return this.hook('PostToolUse', { tool_name, tool_input, tool_use_id: id, tool_response, duration_ms: 2140 });
  }

  /** Asks for permission to use a tool; resolves with the answer. */
  askFor(tool_name: string, tool_input: object): Promise<Response> {
    return this.hook('PermissionRequest', { tool_name, tool_input });
  }

  /** Asks for permission to run a command; resolves with the answer. */
  ask(command: string, signal?: AbortSignal): Promise<Response> {
    const permission_suggestions = [{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'npm publish:*' }], behavior: 'allow', destination: 'localSettings' }];
    return this.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command, description: 'Publish the package' }, permission_suggestions }, signal);
  }
}

/** Posts a workflow event over HTTP, as text or JSON; returns its seq and, for a question, the decision's id. */
export async function say(server: Server, kind: string, agent: string, body: string | object): Promise<{ seq: number; decision_id?: string }> {
  const reply = await fetch(`${server.url}/v1/ui/${kind}?agent=${encodeURIComponent(agent)}&run=r1`, {
    method: 'POST',
    headers: { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${kind}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as { seq: number; decision_id?: string };
}
