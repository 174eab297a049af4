// Anthropic's own client.
import Anthropic from '@anthropic-ai/sdk';
import { report } from './report.mjs';

const open = ({ baseURL, key }) => new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey: key, maxRetries: 0 });
const ask = ({ model, prompt }) => ({ model, max_tokens: 1000, messages: [{ role: 'user', content: prompt }] });
const tool = { name: 'weather', description: 'Tell the weather', input_schema: { type: 'object', properties: {} } };

/** The token count of an answer; undefined if the agent reported no usage. */
const used = ({ usage }) => (usage.reported === false ? undefined : usage.input_tokens + usage.output_tokens);

/** The client's own stream checks the order of events: it throws if one is missing or out of place. */
async function stream(call, more = {}, each = () => {}) {
  const events = open(call).messages.stream({ ...ask(call), ...more });
  for await (const event of events) {
    if (event.type === 'message_start') call.seen.roles.push(event.message.role);
    if (event.type === 'content_block_delta') call.seen.texts.push(event.delta.text);
    if (event.type === 'message_delta') call.seen.usage = used(event);
    each(events);
  }
  const answer = await events.finalMessage();
  call.seen.finish = answer.stop_reason;
  if (answer.content[0].text !== call.seen.texts.join('')) throw new Error(`the message says ${answer.content[0].text}`);
}

async function whole(call) {
  const answer = await open(call).messages.create(ask(call));
  Object.assign(call.seen, { roles: [answer.role], texts: [answer.content[0].text], finish: answer.stop_reason, usage: used(answer) });
  const count = await open(call).messages.countTokens({ model: call.model, messages: ask(call).messages });
  if (!count.estimated || !count.input_tokens) throw new Error(`counted ${JSON.stringify(count)}`);
  call.seen.models = [];
  for await (const model of open(call).models.list()) call.seen.models.push(model.id);
}

// Sends the whole conversation with every turn.
async function conversation(call) {
  const messages = [];
  for (const prompt of ['Who am I?', 'And now?']) {
    messages.push({ role: 'user', content: prompt });
    const answer = await open(call).messages.create({ model: call.model, max_tokens: 1000, system: 'Be brief.', messages });
    messages.push({ role: answer.role, content: answer.content });
    call.seen.texts.push(answer.content[0].text);
  }
}

await report({
  stream,
  conversation,
  whole,
  broken: stream,
  refused: whole,
  unknown: whole,
  tools: (call) => stream(call, { tools: [tool], tool_choice: { type: 'auto' } }),
  aborted: (call) =>
    stream(call, {}, (events) => {
      if (call.seen.texts.length > 0) events.abort();
    }),
});
