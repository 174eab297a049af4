// LangChain's client.
import { ChatOpenAI } from '@langchain/openai';
import { report, waits } from './report.mjs';

const open = ({ baseURL, key, model }) => new ChatOpenAI({ model, apiKey: key, maxRetries: 0, streamUsage: true, configuration: { baseURL } });

async function stream(call, model = open(call), more = {}, each = () => {}) {
  for await (const chunk of await model.stream(call.prompt, more)) {
    if (call.seen.roles.length === 0) call.seen.roles.push(chunk.getType() === 'ai' ? 'assistant' : chunk.getType());
    if (chunk.content) call.seen.texts.push(chunk.content);
    if (chunk.response_metadata.finish_reason) call.seen.finish = chunk.response_metadata.finish_reason;
    if (chunk.usage_metadata) call.seen.usage = chunk.usage_metadata.total_tokens;
    each();
  }
}

async function whole(call) {
  const answer = await open(call).invoke(call.prompt);
  Object.assign(call.seen, { roles: ['assistant'], texts: [answer.content], finish: answer.response_metadata.finish_reason, usage: answer.usage_metadata?.total_tokens });
}

async function aborted(call) {
  const stop = new AbortController();
  await stream(call, open(call), { signal: stop.signal }, () => {
    if (call.seen.texts.length > 0) stop.abort();
  });
}

const weather = { type: 'function', function: { name: 'weather', description: 'Tell the weather', parameters: { type: 'object', properties: {} } } };

async function conversation(call) {
  const messages = [{ role: 'system', content: 'Be brief.' }];
  for (const prompt of ['Who am I?', 'And now?']) {
    messages.push({ role: 'user', content: prompt });
    const answer = await open(call).invoke(messages);
    messages.push({ role: 'assistant', content: answer.content });
    call.seen.texts.push(answer.content);
  }
}

await report({
  stream,
  conversation,
  whole,
  quiet: (call) => stream(call, open(call), {}, waits(call)),
  broken: stream,
  refused: whole,
  unknown: whole,
  aborted,
  tools: (call) => stream(call, open(call).bindTools([weather])),
});
