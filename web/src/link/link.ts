import { signal, type Signal } from '@preact/signals';
import { check } from '../contracts/check.ts';
import { DEFAULT_SCENE, PROTOCOL_VERSION } from '../contracts/limits.gen.ts';
import type { CommandName, ErrorPayload, HelloAck, Resume, ServerInfo } from '../contracts/protocol.gen.ts';
import type { ServerMessage } from '../world/rows.ts';
import type { CommandReply, Say, Send } from '../world/send.ts';
import type { Store } from '../world/store.ts';
import { backoff, ending } from './ending.ts';
import { PositionReports } from './position_reports.ts';
import { Heartbeat } from './heartbeat.ts';
import { PendingCommands, offline } from './pending_commands.ts';
import { fetchModules } from './modules.ts';
import { fetchHistory, fetchScene } from './fetch.ts';
import { browser, type Connection, type Environment } from './environment.ts';
import * as say from '../contracts/words.gen.ts';

/**
 * The state of the connection. connecting: first attempt; live: connected; stale: lost, so the last state stays
 * visible and commands are rejected; offline: lost before it was ever live; refused: rejected by the server, so no
 * more attempts are made.
 */
export interface LinkState {
  phase: 'connecting' | 'live' | 'stale' | 'refused' | 'offline';
  /** The number of failed attempts in a row. */
  attempt: number;
  /** Local time (ms, Date.now) of the next attempt; null during an attempt or if none is planned. */
  retryAt: number | null;
  /** Why the connection ended, worded for people. */
  reason?: string;
  server?: ServerInfo;
}

// A replay is applied in chunks of at most this many messages, to limit memory.
const limitReplay = 2000;
// How long a socket may take to open before the attempt counts as failed, in ms.
const openTimeout = 10_000;

/** The connection to the office. It reconnects, resumes where it left off, and sends unanswered commands again. */
export class Link {
  readonly state: Signal<LinkState> = signal({ phase: 'connecting', attempt: 0, retryAt: null });
  /** The number of invalid messages by type. */
  readonly invalid = new Map<string, number>();

  private connection: Connection | null = null;
  private readonly pending = new PendingCommands();
  private readonly position = new PositionReports((data) => this.command('player_pos', data));
  private readonly heartbeat: Heartbeat;
  /** The timer for the next attempt, or for giving up on the current attempt. */
  private retry: ReturnType<typeof setTimeout> | null = null;
  /** True while an attempt's socket is not open yet. */
  private opening = false;
  private unsubscribe: (() => void)[] = [];
  /** Replayed messages that are waiting for their snapshot; null when live. */
  private replay: ServerMessage[] | null = null;
  private refusal: ErrorPayload | undefined;
  private epoch = '';
  /** The newest segment that the office reported: the segment of the last applied record, or a newer one. */
  private segment = '';
  private snapshotId = '';
  /** The number of times that a redaction has reset the store. */
  private resets = 0;
  /** The scene of the office, from its hello_ack. */
  private sceneId: string = DEFAULT_SCENE;

  constructor(
    private readonly store: Store,
    private readonly env: Environment = browser('dev'),
  ) {
    this.heartbeat = new Heartbeat(env.now, () => this.post('ping', {}), () => this.lose(4000));
  }

  readonly send: Send = (name, data) => (name === 'player_pos' ? this.position.report(data) : this.command(name, data));
  readonly say: Say = (threadId, text) => this.command('chat', { thread_id: threadId, text });

  start(): void {
    this.unsubscribe = [this.env.onResume(() => this.resumed()), this.env.onOffline(() => this.heartbeat.probe()), fetchModules(this.env, this.store)];
    this.connect();
    void this.readScene();
  }

  stop(): void {
    for (const stop of this.unsubscribe) stop();
    this.unsubscribe = [];
    this.disconnect(1000);
    this.cancelRetry();
    this.pending.giveUp('The page is closing.');
  }

  private connect(): void {
    this.disconnect(1000);
    this.cancelRetry();
    this.set({ retryAt: null });
    this.refusal = undefined;
    this.opening = true;
    this.retry = setTimeout(() => this.lose(1006), openTimeout);
    this.connection = this.env.open({
      opened: () => {
        this.opening = false;
        this.cancelRetry();
        this.heartbeat.start();
        this.hello();
      },
      received: (text) => this.receive(text),
      closed: (code) => this.lose(code),
    });
  }

  private hello(): void {
    const last = this.store.seq.peek();
    const resume: Resume = { last_seq: last, last_snapshot_id: this.snapshotId, scene_id: this.sceneId, epoch: this.epoch, segment: this.segment };
    this.post('hello', {
      client: { id: this.env.tab, name: 'bullpen-web', build: this.env.build, platform: 'web' },
      supported_versions: [PROTOCOL_VERSION],
      ...(this.snapshotId !== '' && { resume }),
    });
  }

  private receive(data: unknown): void {
    const m = this.read(data);
    this.heartbeat.received(m?.type === 'pong');
    if (!m) return;
    switch (m.type) {
      case 'hello_ack':
        this.helloAcked(m.payload);
        break;
      case 'ack':
        this.pending.resolve(m.payload);
        break;
      case 'segment':
        this.segment = m.payload.segment;
        return;
      case 'error':
        if (!this.pending.resolve(m.payload)) this.refusal = m.payload;
        break;
    }
    this.take(m);
  }

  private read(data: unknown): ServerMessage | null {
    let m: unknown;
    try {
      m = JSON.parse(String(data));
    } catch {
      m = null;
    }
    const result = check(m);
    if (result === 'valid') return m as ServerMessage;
    if (result === 'invalid') this.count(String((m as { type?: unknown } | null)?.type));
    return null;
  }

  private count(type: string): void {
    const seen = this.invalid.get(type) ?? 0;
    this.invalid.set(type, seen + 1);
    if (seen === 0) console.warn(`dropped an invalid message of type ${type}; more of this type will be dropped without a warning`);
  }

  private helloAcked(ack: HelloAck): void {
    const other = this.epoch !== '' && ack.epoch !== undefined && ack.epoch !== this.epoch;
    if (ack.resume && ack.resume.status !== 'resumed') {
      this.store.reset();
      this.snapshotId = '';
    }
    // Commands meant for another history must not be sent to this one.
    if (other) this.pending.giveUp(say.officeReset);
    this.epoch = ack.epoch ?? '';
    this.sceneId = ack.scene_id ?? DEFAULT_SCENE;
    this.segment = ack.segment ?? '';
    if (ack.heartbeat) this.heartbeat.tune(ack.heartbeat.interval_ms, ack.heartbeat.timeout_ms);
    this.set({ server: ack.server });
    this.replay = [];
    const channels = { events: true, snapshots: true, goals: true, chat: true, agent_stream: true, hud: true, ui: true };
    this.post('subscribe', { scene_id: this.sceneId, channels, snapshots: { mode: 'delta' } });
  }

  /** Reloads the whole state after a redaction, because the erased text may be in any derived row. */
  private reload(): void {
    this.store.reset();
    this.snapshotId = '';
    this.resets++;
    this.set({ phase: 'stale' });
    this.connect();
  }

  /** Applies a message: immediately when live, in batches during a replay. A redaction reloads everything. */
  private take(m: ServerMessage): void {
    if (m.type === 'event' && m.payload.name === 'record_redacted') return this.reload();
    if (!this.replay) return this.store.apply(m);
    this.replay.push(m);
    if (m.type !== 'snapshot' && this.replay.length < limitReplay) return;
    const burst = this.replay;
    this.replay = m.type === 'snapshot' ? null : [];
    this.store.applyAll(burst);
    if (m.type === 'snapshot') this.goLive(m.id, m.payload.seq ?? 0);
  }

  private goLive(snapshotId: string, seq: number): void {
    const fresh = this.snapshotId === '';
    this.snapshotId = snapshotId;
    const { server } = this.state.peek();
    this.state.value = { phase: 'live', attempt: 0, retryAt: null, ...(server && { server }) };
    for (const text of this.pending.unanswered()) this.connection?.send(text);
    this.position.resend();
    if (fresh) void this.readHistory(seq);
    void this.readScene();
  }

  private async readHistory(seq: number): Promise<void> {
    const { epoch, resets } = this;
    const messages = await fetchHistory(this.env, seq);
    if (this.epoch === epoch && this.resets === resets && messages.length > 0) this.store.applyAll(messages);
  }

  private async readScene(): Promise<void> {
    if (this.store.scene.peek()?.scene_id === this.sceneId) return;
    const found = await fetchScene(this.env);
    if (found === 'denied') this.refuse('Sign-in required. Open the link that the office printed when it started.');
    else if (found) this.store.scene.value = found;
  }

  private command(name: CommandName, data: object): Promise<CommandReply> {
    if (this.state.peek().phase !== 'live') {
      return Promise.resolve(offline(say.nothingSent));
    }
    const id = `cmd_${this.env.id()}`;
    const text = this.envelope('command', id, { name, data });
    const reply = this.pending.keep(id, text);
    this.connection?.send(text);
    return reply;
  }

  private post(type: string, payload: object): void {
    this.connection?.send(this.envelope(type, `msg_${this.env.id()}`, payload));
  }

  private envelope(type: string, id: string, payload: object): string {
    return JSON.stringify({ type, id, ts: Math.round(this.env.now()), v: PROTOCOL_VERSION, payload });
  }

  private lose(code: number): void {
    const end = ending(code, this.refusal);
    // Keep a partial replay, so that a connection that keeps breaking still makes progress.
    if (this.replay && this.snapshotId !== '') this.store.applyAll(this.replay);
    this.disconnect(code);
    if (end.final) return this.refuse(end.reason);
    const { phase, attempt: before } = this.state.peek();
    const attempt = before + 1;
    const wait = backoff(attempt, this.env.random());
    const known = phase === 'live' || phase === 'stale';
    this.set({ phase: known ? 'stale' : 'offline', attempt, retryAt: this.env.now() + wait, reason: end.reason });
    this.cancelRetry();
    this.retry = setTimeout(() => this.connect(), wait);
  }

  private refuse(reason: string): void {
    this.disconnect(1000);
    this.cancelRetry();
    this.pending.giveUp(reason);
    this.set({ phase: 'refused', retryAt: null, reason });
  }

  /**
   * Called when the network is back or the user returns to the page: retries immediately, and replaces a connection
   * that timed out while the machine slept.
   */
  private resumed(): void {
    if (this.opening) return;
    if (this.retry !== null) this.connect();
    else if (this.connection && this.heartbeat.timedOut()) {
      this.lose(4000);
      this.connect();
    }
  }

  private disconnect(code: number): void {
    this.heartbeat.stop();
    const connection = this.connection;
    this.connection = null;
    this.opening = false;
    this.replay = null;
    connection?.close(code >= 4000 ? code : 1000);
  }

  private cancelRetry(): void {
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
  }

  private set(change: Partial<LinkState>): void {
    this.state.value = { ...this.state.peek(), ...change };
  }
}
