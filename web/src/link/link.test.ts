import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Store } from '../world/store.ts';
import { backoff, ending } from './ending.ts';
import { Link } from './link.ts';
import type { Handlers, Connection, Environment } from './environment.ts';

interface Sent {
  type: string;
  id: string;
  payload: Record<string, any>;
}

class FakeConnection implements Connection {
  readonly sent: Sent[] = [];
  closed: number | null = null;

  constructor(private readonly handlers: Handlers) {}

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Sent);
  }
  close(code: number): void {
    this.closed = code;
  }
  open(): void {
    this.handlers.opened();
  }
  say(type: string, payload: object, id = `m_${type}_${JSON.stringify(payload).length}_${Math.random()}`): void {
    this.raw(JSON.stringify({ type, id, ts: Date.now(), v: 1, payload }));
  }
  raw(text: string): void {
    if (this.closed === null) this.handlers.received(text);
  }
  drop(code = 1006): void {
    if (this.closed === null) this.handlers.closed(code);
  }
  of(type: string): Sent[] {
    return this.sent.filter((m) => m.type === type);
  }
}

const rows = { scene_id: 'cozy_office_v0', agents: [], projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [] };

function office() {
  const connections: FakeConnection[] = [];
  let resume = () => {};
  let goOffline = () => {};
  let made = 0;
  const env: Environment = {
    open: (handlers) => {
      connections.push(new FakeConnection(handlers));
      return connections.at(-1)!;
    },
    get: () => Promise.resolve({ status: 503, body: null }),
    now: () => Date.now(),
    random: () => 0,
    id: () => `n${++made}`,
    tab: 'tab1',
    build: 'test',
    onResume: (retry) => {
      resume = retry;
      return () => {};
    },
    onOffline: (check) => {
      goOffline = check;
      return () => {};
    },
  };
  const store = new Store(() => Date.now());
  const link = new Link(store, env);
  link.start();
  const connection = () => connections.at(-1)!;
  const greet = (ack: object = {}, seq = 5) => {
    connection().open();
    connection().say('hello_ack', { session_id: 'sess_1', protocol_version: 1, epoch: 'one', segment: 'first', access: 'operator', player_id: 'player_a', ...ack });
    connection().say('snapshot', { ...rows, seq }, `snap_one_${seq}`);
  };
  return { link, store, env, connections, connection, greet, resume: () => resume(), goOffline: () => goOffline() };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('greeting', () => {
  test('hello, then subscribe to everything, then live with the snapshot (W6, W8)', () => {
    const { link, store, connection, greet } = office();
    expect(link.state.value.phase).toBe('connecting');
    greet({ server: { name: 'bullpen', version: '1' } });
    expect(connection().sent[0]).toMatchObject({
      type: 'hello',
      payload: { client: { id: 'tab1', name: 'bullpen-web', platform: 'web' }, supported_versions: [1] },
    });
    expect(connection().sent[0]?.payload.resume).toBeUndefined();
    expect(Object.values(connection().of('subscribe')[0]?.payload.channels)).toEqual(Array(7).fill(true));
    expect(link.state.value).toEqual({ phase: 'live', attempt: 0, retryAt: null, server: { name: 'bullpen', version: '1' } });
    expect([store.me.value, store.access.value, store.seq.value]).toEqual(['player_a', 'operator', 5]);
  });

  test("subscribes to the office's own scene and draws it, even after a restart with another scene (W6)", async () => {
    const { env, store, connection, greet } = office();
    let scene = 'our_loft';
    env.get = (path) => Promise.resolve({ status: path === '/v1/scene' ? 200 : 503, body: path === '/v1/scene' ? { scene_id: scene } : null });
    greet({ scene_id: scene });
    expect(connection().of('subscribe')[0]?.payload.scene_id).toBe('our_loft');
    await vi.waitFor(() => expect(store.scene.value?.scene_id).toBe('our_loft'));
    connection().drop();
    vi.advanceTimersByTime(1000);
    scene = 'our_garden';
    greet({ scene_id: scene, resume: { status: 'snapshot_required', reason: 'CURSOR_UNKNOWN' } });
    expect(connection().of('hello')[0]?.payload.resume.scene_id).toBe('our_loft');
    expect(connection().of('subscribe')[0]?.payload.scene_id).toBe('our_garden');
    await vi.waitFor(() => expect(store.scene.value?.scene_id).toBe('our_garden'));
  });

  test('after a redaction the store is reset and everything is loaded again', () => {
    const o = office();
    o.greet();
    o.connection().say('chat', { seq: 6, thread_id: 'bd_main', from: 'user', to: 'agent_bd', text: 'a secret' });
    expect(o.store.chats.peek().length).toBe(1);
    o.connection().say('event', { seq: 7, name: 'record_redacted', by: 'owner', redaction: { seq: 6, sha256: 'a'.repeat(64) } });
    expect(o.store.chats.peek().length).toBe(0);
    expect(o.connections.length).toBe(2);
    expect(o.connections[0]!.closed).not.toBeNull();
    o.greet({}, 7);
    expect(o.connection().of('hello')[0]!.payload.resume).toBeUndefined();
    expect(o.link.state.peek().phase).toBe('live');
    o.connection().say('chat', { seq: 8, thread_id: 'bd_main', from: 'user', to: 'agent_bd', text: 'hello' });
    expect(o.store.seq.peek()).toBe(8);
    o.link.stop();
  });

  test('an invalid message is dropped and counted, with one warning per type', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { link, store, connection, greet } = office();
    greet();
    connection().say('event', { seq: 6 });
    connection().say('event', { seq: 7, name: 4 });
    connection().say('weather', {});
    connection().raw('{');
    expect(link.invalid).toEqual(new Map([['event', 2], ['undefined', 1]]));
    expect(warn).toHaveBeenCalledTimes(2);
    expect(store.seq.value).toBe(5);
    warn.mockRestore();
  });
});

describe('reconnecting', () => {
  test('waits 1, 2, 4, 8, 8 s and counts attempts', () => {
    const { link, connections, greet } = office();
    greet();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      connections.at(-1)!.drop();
      expect(link.state.value).toMatchObject({ phase: 'stale', attempt });
      const wait = link.state.value.retryAt! - Date.now();
      waits.push(wait);
      vi.advanceTimersByTime(wait - 1);
      expect(connections.length).toBe(attempt);
      vi.advanceTimersByTime(1);
      expect(connections.length).toBe(attempt + 1);
      expect(link.state.value.retryAt).toBeNull();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 8000]);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    expect(link.state.value).toMatchObject({ phase: 'live', attempt: 0 });
  });

  test('the jitter is at most half a second', () => {
    expect(backoff(1, 0.999)).toBe(1499);
    expect(backoff(40, 0)).toBe(8000);
  });

  test('is offline, not stale, if it was never live; a socket that does not open is abandoned', () => {
    const { link, connections } = office();
    vi.advanceTimersByTime(10_000);
    expect(link.state.value).toMatchObject({ phase: 'offline', attempt: 1 });
    expect(connections[0]?.closed).not.toBeNull();
  });

  test('resumes after the last applied message, and applies a replay together with its snapshot (W8)', () => {
    const { store, connection, greet } = office();
    greet();
    connection().say('event', { seq: 9, name: 'kickoff_started', project_id: 'proj_a' }, 'evt_s9');
    connection().drop();
    vi.advanceTimersByTime(1000);
    connection().open();
    expect(connection().of('hello')[0]?.payload.resume).toEqual({ last_seq: 9, last_snapshot_id: 'snap_one_5', scene_id: 'cozy_office_v0', epoch: 'one', segment: 'first' });
    connection().say('hello_ack', { session_id: 'sess_2', protocol_version: 1, epoch: 'one', resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    const changes = vi.fn();
    store.feed.subscribe(changes);
    changes.mockClear();
    connection().say('event', { seq: 9, name: 'kickoff_started' }, 'evt_s9');
    connection().say('event', { seq: 10, name: 'kickoff_finished' }, 'evt_s10');
    expect(changes).not.toHaveBeenCalled();
    connection().say('snapshot', { ...rows, seq: 11 });
    expect(changes).toHaveBeenCalledTimes(1);
    expect(store.feed.value.map((row) => [row.seq, row.replay])).toEqual([[9, false], [10, true]]);
    expect(store.seq.value).toBe(11);
  });

  test('resumes with the newest segment that the office named, which changes when another node writes (W9)', () => {
    const { link, store, connection, greet } = office();
    greet();
    connection().say('segment', { segment: 'second' });
    connection().say('event', { seq: 9, name: 'kickoff_started', project_id: 'proj_a' });
    expect([store.seq.value, link.invalid.size]).toEqual([9, 0]);
    connection().drop();
    vi.advanceTimersByTime(1000);
    connection().open();
    expect(connection().of('hello')[0]?.payload.resume).toMatchObject({ last_seq: 9, segment: 'second' });
  });

  test('an interrupted replay continues where it stopped', () => {
    const { connection, greet } = office();
    greet();
    connection().drop();
    vi.advanceTimersByTime(1000);
    connection().open();
    connection().say('hello_ack', { session_id: 'sess_2', protocol_version: 1, epoch: 'one', resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    connection().say('event', { seq: 8, name: 'kickoff_started' });
    connection().drop();
    vi.advanceTimersByTime(2000);
    connection().open();
    expect(connection().of('hello')[0]?.payload.resume.last_seq).toBe(8);
  });

  test('another history resets the store (W9)', () => {
    const { store, connection, greet } = office();
    greet();
    connection().say('event', { seq: 9, name: 'kickoff_started' });
    connection().drop();
    vi.advanceTimersByTime(1000);
    greet({ epoch: 'two', resume: { status: 'snapshot_required', reason: 'SERVER_RESTARTED' } }, 2);
    expect(store.feed.value).toEqual([]);
    expect(store.seq.value).toBe(2);
  });

  test('reconnects immediately when the network or the user is back', () => {
    const { connections, connection, greet, resume } = office();
    greet();
    connection().drop();
    resume();
    expect(connections.length).toBe(2);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    resume();
    expect(connections.length).toBe(2);
  });
});

describe('heartbeat', () => {
  test('pings every 15 s while messages arrive', () => {
    const { link, connection, greet } = office();
    greet();
    for (let i = 1; i <= 8; i++) {
      vi.advanceTimersByTime(15_000);
      expect(connection().of('ping').length).toBe(i);
      connection().say('pong', { in_reply_to: 'x' });
    }
    expect(link.state.value.phase).toBe('live');
  });

  test('closes the connection after 45 s of silence', () => {
    const { link, connections, greet } = office();
    greet();
    vi.advanceTimersByTime(44_999);
    expect(link.state.value.phase).toBe('live');
    vi.advanceTimersByTime(1);
    expect(link.state.value).toMatchObject({ phase: 'stale', reason: 'Connection lost (no heartbeat).' });
    expect(connections[0]?.closed).toBe(4000);
  });

  test('a dead connection is noticed immediately after a sleep', () => {
    const { connections, greet, resume } = office();
    greet();
    vi.setSystemTime(Date.now() + 3_600_000);
    resume();
    expect(connections.length).toBe(2);
  });

  test('showing the page does not abort an attempt that is under way', () => {
    const { link, connections, greet, resume } = office();
    resume();
    expect(connections.length).toBe(1);
    expect(connections[0]?.closed).toBeNull();
    greet();
    resume();
    expect(connections.length).toBe(1);
    connections[0]!.drop();
    resume();
    expect(connections.length).toBe(2);
    resume();
    expect(connections.length).toBe(2);
    expect(link.state.value.retryAt).toBeNull();
  });

  test('probes a doubtful connection immediately and gives up soon', () => {
    const { link, connection, greet, goOffline } = office();
    goOffline();
    greet();
    goOffline();
    expect(connection().of('ping').length).toBe(1);
    connection().say('pong', { in_reply_to: 'x' });
    vi.advanceTimersByTime(3000);
    expect(link.state.value.phase).toBe('live');
    goOffline();
    vi.advanceTimersByTime(3000);
    expect(link.state.value).toMatchObject({ phase: 'stale', reason: 'Connection lost (no heartbeat).' });
  });
});

describe('commands', () => {
  test('are answered by an ack or an error (W10)', async () => {
    const { link, connection, greet } = office();
    greet();
    const good = link.send('auto_assign', { project_id: 'proj_a' });
    const bad = link.say('bd_main', 'hello');
    const [first, second] = connection().of('command');
    expect(second?.payload).toEqual({ name: 'chat', data: { thread_id: 'bd_main', text: 'hello' } });
    connection().say('error', { in_reply_to: second!.id, code: 'RATE_LIMITED', message: 'Slow down', retry_after_ms: 9 });
    connection().say('ack', { in_reply_to: first!.id, status: 'ok', seq: 7 });
    expect(await good).toEqual({ ok: true, seq: 7 });
    expect(await bad).toEqual({ ok: false, code: 'RATE_LIMITED', message: 'Slow down', retry_after_ms: 9 });
  });

  test('are rejected immediately while the connection is down', async () => {
    const { link, connection, greet } = office();
    greet();
    connection().drop();
    expect(await link.send('auto_assign', { project_id: 'proj_a' })).toMatchObject({ ok: false, code: 'OFFLINE' });
  });

  test('an unanswered command is sent again once with the same id after a resume', async () => {
    const { link, connections, connection, greet } = office();
    greet();
    const reply = link.send('submit_request', { text: 'bread' });
    const sent = connection().of('command')[0]!;
    connection().drop();
    vi.advanceTimersByTime(1000);
    expect(connection().of('command')).toEqual([]);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    expect(connection().of('command')).toEqual([sent]);
    connection().say('ack', { in_reply_to: sent.id, status: 'ok', seq: 8, duplicate: true });
    expect(await reply).toEqual({ ok: true, seq: 8, duplicate: true });
    connection().drop();
    vi.advanceTimersByTime(1000);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    expect(connections.length).toBe(3);
    expect(connection().of('command')).toEqual([]);
  });

  test('are not sent again to another history', async () => {
    const { link, connection, greet } = office();
    greet();
    const reply = link.send('auto_assign', { project_id: 'proj_a' });
    connection().drop();
    vi.advanceTimersByTime(1000);
    greet({ epoch: 'two', resume: { status: 'snapshot_required', reason: 'SERVER_RESTARTED' } });
    expect(await reply).toMatchObject({ ok: false, code: 'OFFLINE' });
    expect(connection().of('command')).toEqual([]);
  });

  test('player_pos is sent at most five times a second, the newest last', () => {
    const { link, connection, greet } = office();
    greet();
    for (let i = 0; i < 100; i++) {
      void link.send('player_pos', { pos: [i, 0, 0] });
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(1000);
    const sent = connection().of('command');
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(sent.at(-1)?.payload.data.pos[0]).toBe(99);
  });
});

describe('close codes', () => {
  test.each([4002, 4003, 4009])('%i is final', (code) => {
    const { link, connections, connection, greet } = office();
    greet();
    connection().drop(code);
    vi.advanceTimersByTime(60_000);
    expect(link.state.value).toMatchObject({ phase: 'refused', retryAt: null });
    expect(connections.length).toBe(1);
  });

  test.each([1001, 1006, 1013, 4000, 4008, 4010, 4011, 4999, 1005])('%i is retried (W18)', (code) => {
    const { link, connection, greet } = office();
    greet();
    connection().drop(code);
    expect(link.state.value.phase).toBe('stale');
  });

  test('a version mismatch lists the supported versions', () => {
    const { link, connection } = office();
    connection().open();
    connection().say('error', { in_reply_to: connection().sent[0]!.id, code: 'PROTOCOL_VERSION_UNSUPPORTED', message: 'no', supported_versions: [2, 3] });
    connection().drop(4002);
    expect(link.state.value.phase).toBe('refused');
    expect(link.state.value.reason).toContain('2, 3');
    expect(ending(4002).reason).toContain('Reload');
  });

  test('a browser without access gets a sign-in message', async () => {
    const { env } = office();
    const link = new Link(new Store(), { ...env, get: () => Promise.resolve({ status: 401, body: null }) });
    link.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(link.state.value.phase).toBe('refused');
  });
});
