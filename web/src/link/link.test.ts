import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Store } from '../world/store.ts';
import { backoff, ending } from './ending.ts';
import { Link } from './link.ts';
import type { Ears, Line, Surroundings } from './surroundings.ts';

interface Sent {
  type: string;
  id: string;
  payload: Record<string, any>;
}

class FakeLine implements Line {
  readonly sent: Sent[] = [];
  closed: number | null = null;

  constructor(private readonly ears: Ears) {}

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Sent);
  }
  close(code: number): void {
    this.closed = code;
  }
  open(): void {
    this.ears.opened();
  }
  say(type: string, payload: object, id = `m_${type}_${JSON.stringify(payload).length}_${Math.random()}`): void {
    this.raw(JSON.stringify({ type, id, ts: Date.now(), v: 1, payload }));
  }
  raw(text: string): void {
    if (this.closed === null) this.ears.heard(text);
  }
  drop(code = 1006): void {
    if (this.closed === null) this.ears.closed(code);
  }
  of(type: string): Sent[] {
    return this.sent.filter((m) => m.type === type);
  }
}

const rows = { scene_id: 'cozy_office_v0', agents: [], projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [] };

function office() {
  const lines: FakeLine[] = [];
  let comeBack = () => {};
  let doubt = () => {};
  let made = 0;
  const around: Surroundings = {
    open: (ears) => {
      lines.push(new FakeLine(ears));
      return lines.at(-1)!;
    },
    get: () => Promise.resolve({ status: 503, body: null }),
    now: () => Date.now(),
    random: () => 0,
    id: () => `n${++made}`,
    tab: 'tab1',
    build: 'test',
    onReturn: (retry) => {
      comeBack = retry;
      return () => {};
    },
    onDoubt: (check) => {
      doubt = check;
      return () => {};
    },
  };
  const store = new Store(() => Date.now());
  const link = new Link(store, around);
  link.start();
  const line = () => lines.at(-1)!;
  const greet = (ack: object = {}, seq = 5) => {
    line().open();
    line().say('hello_ack', { session_id: 'sess_1', protocol_version: 1, epoch: 'one', segment: 'first', access: 'operator', player_id: 'player_a', ...ack });
    line().say('snapshot', { ...rows, seq }, `snap_one_${seq}`);
  };
  return { link, store, around, lines, line, greet, comeBack: () => comeBack(), doubt: () => doubt() };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('greeting', () => {
  test('hello, then subscribe to everything, then live with the snapshot (W6, W8)', () => {
    const { link, store, line, greet } = office();
    expect(link.state.value.phase).toBe('connecting');
    greet({ server: { name: 'bullpen', version: '1' } });
    expect(line().sent[0]).toMatchObject({
      type: 'hello',
      payload: { client: { id: 'tab1', name: 'bullpen-web', platform: 'web' }, supported_versions: [1] },
    });
    expect(line().sent[0]?.payload.resume).toBeUndefined();
    expect(Object.values(line().of('subscribe')[0]?.payload.channels)).toEqual(Array(7).fill(true));
    expect(link.state.value).toEqual({ phase: 'live', attempt: 0, retryAt: null, server: { name: 'bullpen', version: '1' } });
    expect([store.me.value, store.access.value, store.seq.value]).toEqual(['player_a', 'operator', 5]);
  });

  test("subscribes to the office's own scene, draws it, and draws another one after a restart with it (W6)", async () => {
    const { around, store, line, greet } = office();
    let scene = 'our_loft';
    around.get = (path) => Promise.resolve({ status: path === '/v1/scene' ? 200 : 503, body: path === '/v1/scene' ? { scene_id: scene } : null });
    greet({ scene_id: scene });
    expect(line().of('subscribe')[0]?.payload.scene_id).toBe('our_loft');
    await vi.waitFor(() => expect(store.scene.value?.scene_id).toBe('our_loft'));
    line().drop();
    vi.advanceTimersByTime(1000);
    scene = 'our_garden';
    greet({ scene_id: scene, resume: { status: 'snapshot_required', reason: 'CURSOR_UNKNOWN' } });
    expect(line().of('hello')[0]?.payload.resume.scene_id).toBe('our_loft');
    expect(line().of('subscribe')[0]?.payload.scene_id).toBe('our_garden');
    await vi.waitFor(() => expect(store.scene.value?.scene_id).toBe('our_garden'));
  });

  test('text that was erased is forgotten, and everything is loaded again', () => {
    const o = office();
    o.greet();
    o.line().say('chat', { seq: 6, thread_id: 'bd_main', from: 'user', to: 'agent_bd', text: 'a secret' });
    expect(o.store.chats.peek().length).toBe(1);
    o.line().say('event', { seq: 7, name: 'record_redacted', by: 'owner', redaction: { seq: 6, sha256: 'a'.repeat(64) } });
    expect(o.store.chats.peek().length).toBe(0);
    expect(o.lines.length).toBe(2);
    expect(o.lines[0]!.closed).not.toBeNull();
    o.greet({}, 7);
    expect(o.line().of('hello')[0]!.payload.resume).toBeUndefined();
    expect(o.link.state.peek().phase).toBe('live');
    o.line().say('chat', { seq: 8, thread_id: 'bd_main', from: 'user', to: 'agent_bd', text: 'hello' });
    expect(o.store.seq.peek()).toBe(8);
    o.link.stop();
  });

  test('a broken message is counted, dropped and warned of once per type', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { link, store, line, greet } = office();
    greet();
    line().say('event', { seq: 6 });
    line().say('event', { seq: 7, name: 4 });
    line().say('weather', {});
    line().raw('{');
    expect(link.broken).toEqual(new Map([['event', 2], ['undefined', 1]]));
    expect(warn).toHaveBeenCalledTimes(2);
    expect(store.seq.value).toBe(5);
    warn.mockRestore();
  });
});

describe('coming back', () => {
  test('waits 1, 2, 4, 8, 8 s and shows the count', () => {
    const { link, lines, greet } = office();
    greet();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      lines.at(-1)!.drop();
      expect(link.state.value).toMatchObject({ phase: 'stale', attempt });
      const wait = link.state.value.retryAt! - Date.now();
      waits.push(wait);
      vi.advanceTimersByTime(wait - 1);
      expect(lines.length).toBe(attempt);
      vi.advanceTimersByTime(1);
      expect(lines.length).toBe(attempt + 1);
      expect(link.state.value.retryAt).toBeNull();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 8000]);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    expect(link.state.value).toMatchObject({ phase: 'live', attempt: 0 });
  });

  test('the spread is at most half a second', () => {
    expect(backoff(1, 0.999)).toBe(1499);
    expect(backoff(40, 0)).toBe(8000);
  });

  test('is offline, not stale, when it never was live; a socket that hangs is given up', () => {
    const { link, lines } = office();
    vi.advanceTimersByTime(10_000);
    expect(link.state.value).toMatchObject({ phase: 'offline', attempt: 1 });
    expect(lines[0]?.closed).not.toBeNull();
  });

  test('resumes after the last message taken in, and applies a replay together with its snapshot (W8)', () => {
    const { store, line, greet } = office();
    greet();
    line().say('event', { seq: 9, name: 'kickoff_started', project_id: 'proj_a' }, 'evt_s9');
    line().drop();
    vi.advanceTimersByTime(1000);
    line().open();
    expect(line().of('hello')[0]?.payload.resume).toEqual({ last_seq: 9, last_snapshot_id: 'snap_one_5', scene_id: 'cozy_office_v0', epoch: 'one', segment: 'first' });
    line().say('hello_ack', { session_id: 'sess_2', protocol_version: 1, epoch: 'one', resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    const changes = vi.fn();
    store.feed.subscribe(changes);
    changes.mockClear();
    line().say('event', { seq: 9, name: 'kickoff_started' }, 'evt_s9');
    line().say('event', { seq: 10, name: 'kickoff_finished' }, 'evt_s10');
    expect(changes).not.toHaveBeenCalled();
    line().say('snapshot', { ...rows, seq: 11 });
    expect(changes).toHaveBeenCalledTimes(1);
    expect(store.feed.value.map((row) => [row.seq, row.replay])).toEqual([[9, false], [10, true]]);
    expect(store.seq.value).toBe(11);
  });

  test('a replay that broke off goes on after what came of it', () => {
    const { line, greet } = office();
    greet();
    line().drop();
    vi.advanceTimersByTime(1000);
    line().open();
    line().say('hello_ack', { session_id: 'sess_2', protocol_version: 1, epoch: 'one', resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    line().say('event', { seq: 8, name: 'kickoff_started' });
    line().drop();
    vi.advanceTimersByTime(2000);
    line().open();
    expect(line().of('hello')[0]?.payload.resume.last_seq).toBe(8);
  });

  test('another history empties what followed from the old one (W9)', () => {
    const { store, line, greet } = office();
    greet();
    line().say('event', { seq: 9, name: 'kickoff_started' });
    line().drop();
    vi.advanceTimersByTime(1000);
    greet({ epoch: 'two', resume: { status: 'snapshot_required', reason: 'SERVER_RESTARTED' } }, 2);
    expect(store.feed.value).toEqual([]);
    expect(store.seq.value).toBe(2);
  });

  test('the network or the person coming back ends the wait', () => {
    const { lines, line, greet, comeBack } = office();
    greet();
    line().drop();
    comeBack();
    expect(lines.length).toBe(2);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    comeBack();
    expect(lines.length).toBe(2);
  });
});

describe('heartbeat', () => {
  test('pings each 15 s while answers come', () => {
    const { link, line, greet } = office();
    greet();
    for (let i = 1; i <= 8; i++) {
      vi.advanceTimersByTime(15_000);
      expect(line().of('ping').length).toBe(i);
      line().say('pong', { in_reply_to: 'x' });
    }
    expect(link.state.value.phase).toBe('live');
  });

  test('45 s of silence are the end of a connection', () => {
    const { link, lines, greet } = office();
    greet();
    vi.advanceTimersByTime(44_999);
    expect(link.state.value.phase).toBe('live');
    vi.advanceTimersByTime(1);
    expect(link.state.value).toMatchObject({ phase: 'stale', reason: 'Connection lost (no heartbeat).' });
    expect(lines[0]?.closed).toBe(4000);
  });

  test('after a sleep the dead line is noticed immediately', () => {
    const { lines, greet, comeBack } = office();
    greet();
    vi.setSystemTime(Date.now() + 3_600_000);
    comeBack();
    expect(lines.length).toBe(2);
  });

  test('an attempt under way is not thrown away when the page is shown', () => {
    const { link, lines, greet, comeBack } = office();
    comeBack();
    expect(lines.length).toBe(1);
    expect(lines[0]?.closed).toBeNull();
    greet();
    comeBack();
    expect(lines.length).toBe(1);
    lines[0]!.drop();
    comeBack();
    expect(lines.length).toBe(2);
    comeBack();
    expect(lines.length).toBe(2);
    expect(link.state.value.retryAt).toBeNull();
  });

  test('a doubtful line is probed immediately and given up soon', () => {
    const { link, line, greet, doubt } = office();
    doubt();
    greet();
    doubt();
    expect(line().of('ping').length).toBe(1);
    line().say('pong', { in_reply_to: 'x' });
    vi.advanceTimersByTime(3000);
    expect(link.state.value.phase).toBe('live');
    doubt();
    vi.advanceTimersByTime(3000);
    expect(link.state.value).toMatchObject({ phase: 'stale', reason: 'Connection lost (no heartbeat).' });
  });
});

describe('commands', () => {
  test('an ack or an error is the answer (W10)', async () => {
    const { link, line, greet } = office();
    greet();
    const good = link.send('auto_assign', { project_id: 'proj_a' });
    const bad = link.say('bd_main', 'hello');
    const [first, second] = line().of('command');
    expect(second?.payload).toEqual({ name: 'chat', data: { thread_id: 'bd_main', text: 'hello' } });
    line().say('error', { in_reply_to: second!.id, code: 'RATE_LIMITED', message: 'Slow down', retry_after_ms: 9 });
    line().say('ack', { in_reply_to: first!.id, status: 'ok', seq: 7 });
    expect(await good).toEqual({ ok: true, seq: 7 });
    expect(await bad).toEqual({ ok: false, code: 'RATE_LIMITED', message: 'Slow down', retry_after_ms: 9 });
  });

  test('are refused immediately while the line is down', async () => {
    const { link, line, greet } = office();
    greet();
    line().drop();
    expect(await link.send('auto_assign', { project_id: 'proj_a' })).toMatchObject({ ok: false, code: 'OFFLINE' });
  });

  test('T3: one that was under way is sent again with the same id, once, after the resume', async () => {
    const { link, lines, line, greet } = office();
    greet();
    const reply = link.send('submit_request', { text: 'bread' });
    const sent = line().of('command')[0]!;
    line().drop();
    vi.advanceTimersByTime(1000);
    expect(line().of('command')).toEqual([]);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    expect(line().of('command')).toEqual([sent]);
    line().say('ack', { in_reply_to: sent.id, status: 'ok', seq: 8, duplicate: true });
    expect(await reply).toEqual({ ok: true, seq: 8, duplicate: true });
    line().drop();
    vi.advanceTimersByTime(1000);
    greet({ resume: { status: 'resumed', reason: 'CURSOR_OK' } });
    expect(lines.length).toBe(3);
    expect(line().of('command')).toEqual([]);
  });

  test('are not carried over to another history', async () => {
    const { link, line, greet } = office();
    greet();
    const reply = link.send('auto_assign', { project_id: 'proj_a' });
    line().drop();
    vi.advanceTimersByTime(1000);
    greet({ epoch: 'two', resume: { status: 'snapshot_required', reason: 'SERVER_RESTARTED' } });
    expect(await reply).toMatchObject({ ok: false, code: 'OFFLINE' });
    expect(line().of('command')).toEqual([]);
  });

  test('player_pos goes out at most five times a second, the newest last', () => {
    const { link, line, greet } = office();
    greet();
    for (let i = 0; i < 100; i++) {
      void link.send('player_pos', { pos: [i, 0, 0] });
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(1000);
    const sent = line().of('command');
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(sent.at(-1)?.payload.data.pos[0]).toBe(99);
  });
});

describe('refusals', () => {
  test.each([4002, 4003, 4009])('%i is final', (code) => {
    const { link, lines, line, greet } = office();
    greet();
    line().drop(code);
    vi.advanceTimersByTime(60_000);
    expect(link.state.value).toMatchObject({ phase: 'refused', retryAt: null });
    expect(lines.length).toBe(1);
  });

  test.each([1001, 1006, 1013, 4000, 4008, 4010, 4011, 4999, 1005])('%i is not (W18)', (code) => {
    const { link, line, greet } = office();
    greet();
    line().drop(code);
    expect(link.state.value.phase).toBe('stale');
  });

  test('a version mismatch says which versions there are', () => {
    const { link, line } = office();
    line().open();
    line().say('error', { in_reply_to: line().sent[0]!.id, code: 'PROTOCOL_VERSION_UNSUPPORTED', message: 'no', supported_versions: [2, 3] });
    line().drop(4002);
    expect(link.state.value.phase).toBe('refused');
    expect(link.state.value.reason).toContain('2, 3');
    expect(ending(4002).reason).toContain('Reload');
  });

  test('a browser without a key is told so', async () => {
    const { around } = office();
    const link = new Link(new Store(), { ...around, get: () => Promise.resolve({ status: 401, body: null }) });
    link.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(link.state.value.phase).toBe('refused');
  });
});
