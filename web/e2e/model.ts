import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool call that the stub model makes. */
export interface ToolCall {
  tool: string;
  args: object;
}

/**
 * The input of the stub model: the office's last message, whether the model may use tools, and whether it has used one
 * since that message.
 */
export interface Prompt {
  text: string;
  tools: boolean;
  used: boolean;
}

interface Request {
  tools?: readonly object[];
  messages: readonly { role: string; content: string | null }[];
}

/** Starts a stub of OpenAI's chat completions API. Its model answers with text or with tool calls. */
export async function startModel(script: (prompt: Prompt) => string | readonly ToolCall[]): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.method === 'GET') return void response.end(JSON.stringify({ object: 'list', data: [{ id: 'model-a', object: 'model' }] }));
      const { messages, tools = [] } = JSON.parse(body) as Request;
      const asked = messages.findLastIndex((m) => m.role === 'user');
      const answer = script({ text: messages[asked]?.content ?? '', tools: tools.length > 0, used: messages.slice(asked).some((m) => m.role === 'tool') });
      response.end(JSON.stringify({ id: 'c1', object: 'chat.completion', model: 'model-a', choices: [choice(answer)] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, stop: () => (server.closeAllConnections(), server.close()) };
}

function choice(answer: string | readonly ToolCall[]): object {
  if (typeof answer === 'string') return { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } };
  const calls = answer.map(({ tool, args }, i) => ({ id: `call_${i}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }));
  return { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: calls } };
}
