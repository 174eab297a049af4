// @vitest-environment node
import Ajv from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import recorded from '../world/testdata/first_minute.jsonl?raw';
import { check } from './check.ts';
import { payloads } from './shapes.gen.ts';

type Message = { type: string; payload: Record<string, unknown> };

const load = (files: Record<string, string>): Message[] => Object.values(files).map((text) => JSON.parse(text) as Message);
const examples = load(import.meta.glob('../../../contracts/examples/valid/**/*.json', { eager: true, query: '?raw', import: 'default' }));
const schemas = import.meta.glob<string>('../../../contracts/schemas/*.json', { eager: true, query: '?raw', import: 'default' });
const log = recorded.trim().split('\n').map((line) => JSON.parse(line) as Message);

// The schemas themselves decide what check must accept.
const ajv = new Ajv({ strict: false });
for (const text of Object.values(schemas)) ajv.addSchema(JSON.parse(text) as object);
const schemaOf: Record<string, string> = {
  event: 'events', snapshot: 'snapshot', agent_goal: 'agent-goal', agent_stream: 'agent-stream', chat: 'chat',
  hud: 'hud', ui: 'ui', segment: 'segment', ack: 'replies', error: 'replies', hello_ack: 'replies',
};
const schemaAccepts = (m: Message) => ajv.validate(`https://bullpen.dev/contracts/schemas/${schemaOf[m.type]}.schema.json`, m) as boolean;

const fromServer = [...examples, ...log].filter((m) => Object.hasOwn(payloads, m.type) && 'payload' in m && !isSay(m));
// Servers never send the client form of a chat message, which has the same type.
function isSay(m: Message): boolean {
  return m.type === 'chat' && !('from' in m.payload);
}

describe('check', () => {
  test('accepts what the schemas accept', () => {
    expect(new Set(fromServer.map((m) => m.type))).toEqual(new Set(Object.keys(payloads)));
    for (const m of fromServer) {
      expect(schemaAccepts(m), JSON.stringify(m)).toBe(true);
      expect(check(m), JSON.stringify(m)).toBe('valid');
    }
  });

  test('rejects a member of the wrong type at any depth, as the schemas do', () => {
    for (const m of examples.filter((e) => fromServer.includes(e))) {
      for (const member of Object.keys(m.payload)) {
        const bent = { ...m, payload: { ...m.payload, [member]: Symbol.iterator } };
        const free = m.type === 'ui' && member === 'raw' || m.type === 'hud' && ['args', 'result', 'payload'].includes(member);
        expect(check(bent), `${m.type}.${member}`).toBe(free ? 'valid' : 'invalid');
      }
    }
    const snapshot = log[0]!;
    const agents = (snapshot.payload.agents as object[]).with(0, { agent_id: 'agent_a', state: 'IdleAtHome', pos: [0, 0] });
    expect(check({ ...snapshot, payload: { ...snapshot.payload, agents } })).toBe('invalid');
  });

  test('rejects a message that lacks a required member', () => {
    for (const m of fromServer) {
      for (const member of Object.keys(m.payload)) {
        const { [member]: _, ...payload } = m.payload;
        const bent = { ...m, payload };
        if (check(bent) === 'valid') expect(schemaAccepts(bent), `${m.type} without ${member}`).toBe(true);
      }
    }
  });

  test('distinguishes a message type of a later version from an invalid message', () => {
    const envelope = { id: 'msg_1', ts: 1, v: 1, payload: {} };
    expect(check({ ...envelope, type: 'weather' })).toBe('unknown');
    expect(check({ ...envelope, type: 'constructor' })).toBe('unknown');
    expect(check({ ...envelope, type: 'pong' })).toBe('valid');
    expect(check({ ...envelope, type: 'event', v: 2 })).toBe('invalid');
    for (const odd of [null, 1, 'event', [], {}]) expect(check(odd)).toBe('invalid');
  });
});
