// OpenAI's own client, with the Responses API.
import OpenAI from 'openai';
import { report, waits } from './report.mjs';

const open = ({ baseURL, key }) => new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
const tool = { type: 'function', name: 'weather', description: 'Tell the weather', parameters: { type: 'object', properties: {} }, strict: false };

/** The client's own stream checks the order of events: it throws if one is missing or out of place. */
async function stream(call, more = {}, each = () => {}) {
  const events = open(call).responses.stream({ model: call.model, input: call.prompt, ...more });
  for await (const event of events) {
    if (event.type === 'response.output_item.added') call.seen.roles.push(event.item.role);
    if (event.type === 'response.output_text.delta' && event.delta) call.seen.texts.push(event.delta);
    else call.seen.beats = (call.seen.beats ?? 0) + 1;
    if (event.type === 'response.failed') throw Object.assign(new Error(event.response.error.message), event.response.error);
    each(events);
  }
  const answer = await events.finalResponse();
  Object.assign(call.seen, { finish: answer.status, usage: answer.usage?.total_tokens });
  if (answer.output_text !== call.seen.texts.join('')) throw new Error(`the response says ${answer.output_text}`);
}

async function whole(call) {
  const answer = await open(call).responses.create({ model: call.model, input: call.prompt });
  Object.assign(call.seen, { roles: [answer.output[0].role], texts: [answer.output_text], finish: answer.status, usage: answer.usage?.total_tokens });
}

// Sends only the new message with every turn.
async function conversation(call) {
  let previous;
  for (const input of ['Who am I?', 'And now?']) {
    const answer = await open(call).responses.create({ model: call.model, instructions: 'Be brief.', input, previous_response_id: previous });
    previous = answer.id;
    call.seen.texts.push(answer.output_text);
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
    stream(call, {}, (events) => {
      if (call.seen.texts.length > 0) events.abort();
    }),
});
