// OpenAI's own client.
import OpenAI from 'openai';
import { report, waits } from './report.mjs';

const open = ({ baseURL, key }) => new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
const ask = ({ model, prompt }) => ({ model, messages: [{ role: 'user', content: prompt }] });

const tool = { type: 'function', function: { name: 'weather', description: 'Tell the weather', parameters: { type: 'object', properties: {} } } };

async function stream(call, more = {}, each = () => {}) {
  const chunks = await open(call).chat.completions.create({ ...ask(call), stream: true, stream_options: { include_usage: true }, ...more });
  for await (const chunk of chunks) {
    const [choice] = chunk.choices;
    if (choice?.delta.role) call.seen.roles.push(choice.delta.role);
    if (choice?.delta.content) call.seen.texts.push(choice.delta.content);
    else call.seen.beats = (call.seen.beats ?? 0) + 1;
    if (choice?.finish_reason) call.seen.finish = choice.finish_reason;
    if (chunk.usage) call.seen.usage = chunk.usage.total_tokens;
    each(chunks);
  }
}

async function whole(call) {
  const answer = await open(call).chat.completions.create(ask(call));
  const [choice] = answer.choices;
  Object.assign(call.seen, { roles: [choice.message.role], texts: [choice.message.content], finish: choice.finish_reason, usage: answer.usage?.total_tokens });
  call.seen.models = [];
  for await (const model of open(call).models.list()) call.seen.models.push(model.id);
}

// Sends the whole conversation with every turn, as chat programs do.
async function conversation(call) {
  const messages = [{ role: 'system', content: 'Be brief.' }];
  for (const prompt of ['Who am I?', 'And now?']) {
    messages.push({ role: 'user', content: prompt });
    const answer = await open(call).chat.completions.create({ model: call.model, messages, store: false, metadata: { a: 'b' } });
    messages.push(answer.choices[0].message);
    call.seen.texts.push(answer.choices[0].message.content);
  }
}

await report({
  stream,
  conversation,
  whole,
  quiet: (call) => stream(call, {}, waits(call)),
  broken: stream,
  refused: whole,
  unknown: whole,
  tools: (call) => stream(call, { tools: [tool], tool_choice: 'auto' }),
  aborted: (call) =>
    stream(call, {}, (chunks) => {
      if (call.seen.texts.length > 0) chunks.controller.abort();
    }),
});
