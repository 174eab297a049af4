// Vercel's AI SDK with its provider for OpenAI-compatible APIs.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { report, waits } from './report.mjs';

const ask = ({ baseURL, key, model, prompt }) => ({
  model: createOpenAICompatible({ name: 'bullpen', baseURL, apiKey: key, includeUsage: true })(model),
  prompt,
  maxRetries: 0,
});

async function stream(call, more = {}, each = () => {}) {
  const answer = streamText({ ...ask(call), ...more, onError: () => {} }); // errors also arrive as parts of the stream
  for await (const part of answer.fullStream) {
    if (part.type === 'start-step') call.seen.roles.push('assistant');
    if (part.type === 'text-delta') call.seen.texts.push(part.text);
    if (part.type === 'abort') call.seen.aborted = true;
    if (part.type === 'error') throw part.error;
    if (part.type === 'finish') Object.assign(call.seen, { finish: part.finishReason, usage: part.totalUsage.totalTokens });
    each();
  }
}

async function whole(call) {
  const answer = await generateText(ask(call));
  Object.assign(call.seen, { roles: ['assistant'], texts: [answer.text], finish: answer.finishReason, usage: answer.totalUsage.totalTokens });
}

async function aborted(call) {
  const stop = new AbortController();
  await stream(call, { abortSignal: stop.signal }, () => {
    if (call.seen.texts.length > 0) stop.abort();
  });
}

const weather = tool({ description: 'Tell the weather', inputSchema: jsonSchema({ type: 'object', properties: {} }) });

async function conversation(call) {
  const { model } = ask(call);
  const messages = [];
  for (const prompt of ['Who am I?', 'And now?']) {
    messages.push({ role: 'user', content: prompt });
    const answer = await generateText({ model, system: 'Be brief.', messages, maxRetries: 0 });
    messages.push({ role: 'assistant', content: answer.text });
    call.seen.texts.push(answer.text);
  }
}

await report({
  stream,
  conversation,
  whole,
  quiet: (call) => stream(call, { includeRawChunks: true }, waits(call)),
  broken: stream,
  refused: whole,
  unknown: whole,
  aborted,
  tools: (call) => stream(call, { tools: { weather } }),
});
