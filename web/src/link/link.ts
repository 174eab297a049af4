import { signal, type Signal } from '@preact/signals';
import { check } from '../contracts/check.ts';
import { DEFAULT_SCENE, PROTOCOL_VERSION } from '../contracts/limits.gen.ts';
import type { CommandName, ErrorPayload, HelloAck, Resume, ServerInfo } from '../contracts/protocol.gen.ts';
import type { ServerMessage } from '../world/rows.ts';
import type { CommandReply, Say, Send } from '../world/send.ts';
import type { Store } from '../world/store.ts';
import { backoff, ending } from './ending.ts';
import { Footsteps } from './footsteps.ts';
import { Heartbeat } from './heartbeat.ts';
import { Mailbox, offline } from './mailbox.ts';
import { past, room } from './past.ts';
import { browser, type Line, type Surroundings } from './surroundings.ts';
import * as say from '../contracts/words.gen.ts';

/**
 * How things stand with the server.
 * connecting: the first attempt; live: all is well; stale: it was live, the last state stays visible and commands
 * are frozen; offline: it was never live; refused: the server does not want us, no further attempt is made.
 */
export interface LinkState {
  phase: 'connecting' | 'live' | 'stale' | 'refused' | 'offline';
  /** Failed attempts in a row. */
  attempt: number;
  /** Local time (ms, Date.now) of the next attempt; null while one is under way or none is planned. */
  retryAt: number | null;
  /** In words, for the person. */
  reason?: string;
  server?: ServerInfo;
}

// A long replay is taken in by parts, so that memory stays flat.
const limitReplay = 2000;
// A socket that does not open in this time never will.
const openTimeout = 10_000;

/** The connection to the office: it comes back by itself, goes on where it was and sends nothing twice. */
export class Link {
  readonly state: Signal<LinkState> = signal({ phase: 'connecting', attempt: 0, retryAt: null });
  /** Messages that could not be read, by type. */
  readonly broken = new Map<string, number>();

  private line: Line | null = null;
  private readonly mail = new Mailbox();
  private readonly steps = new Footsteps((data) => this.command('player_pos', data));
  private readonly heart: Heartbeat;
  /** Until the next attempt, or until one that does not get through is given up. */
  private retry: ReturnType<typeof setTimeout> | null = null;
  /** An attempt is under way: the socket is not open yet. */
  private opening = false;
  private unlisten: (() => void)[] = [];
  /** Replayed messages wait here for their snapshot; null when live. */
  private replay: ServerMessage[] | null = null;
  private refusal: ErrorPayload | undefined;
  private epoch = '';
  private segment = '';
  private snapshotId = '';
  /** How often everything was forgotten. */
  private lives = 0;
  /** The scene of the office, as its hello_ack said. */
  private sceneId: string = DEFAULT_SCENE;

  constructor(
    private readonly store: Store,
    private readonly around: Surroundings = browser('dev'),
  ) {
    this.heart = new Heartbeat(around.now, () => this.post('ping', {}), () => this.lose(4000));
  }

  readonly send: Send = (name, data) => (name === 'player_pos' ? this.steps.report(data) : this.command(name, data));
  readonly say: Say = (threadId, text) => this.command('chat', { thread_id: threadId, text });

  start(): void {
    this.unlisten = [this.around.onReturn(() => this.returned()), this.around.onDoubt(() => this.heart.doubt())];
    this.connect();
    void this.readRoom();
  }

  stop(): void {
    for (const stop of this.unlisten) stop();
    this.unlisten = [];
    this.hangUp(1000);
    this.cancelRetry();
    this.mail.giveUp('The page is closing.');
  }

  private connect(): void {
    this.hangUp(1000);
    this.cancelRetry();
    this.set({ retryAt: null });
    this.refusal = undefined;
    this.opening = true;
    this.retry = setTimeout(() => this.lose(1006), openTimeout);
    this.line = this.around.open({
      opened: () => {
        this.opening = false;
        this.cancelRetry();
        this.heart.start();
        this.hello();
      },
      heard: (text) => this.receive(text),
      closed: (code) => this.lose(code),
    });
  }

  private hello(): void {
    const last = this.store.seq.peek();
    const resume: Resume = { last_seq: last, last_snapshot_id: this.snapshotId, scene_id: this.sceneId, epoch: this.epoch, segment: this.segment };
    this.post('hello', {
      client: { id: this.around.tab, name: 'bullpen-web', build: this.around.build, platform: 'web' },
      supported_versions: [PROTOCOL_VERSION],
      ...(this.snapshotId !== '' && { resume }),
    });
  }

  private receive(data: unknown): void {
    const m = this.read(data);
    this.heart.heard(m?.type === 'pong');
    if (!m) return;
    switch (m.type) {
      case 'hello_ack':
        this.welcomed(m.payload);
        break;
      case 'ack':
        this.mail.answered(m.payload);
        break;
      case 'error':
        if (!this.mail.answered(m.payload)) this.refusal = m.payload;
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
    const reading = check(m);
    if (reading === 'sound') return m as ServerMessage;
    if (reading === 'broken') this.count(String((m as { type?: unknown } | null)?.type));
    return null;
  }

  private count(type: string): void {
    const seen = this.broken.get(type) ?? 0;
    this.broken.set(type, seen + 1);
    if (seen === 0) console.warn(`A message of type ${type} could not be read and was left out; further ones are only counted.`);
  }

  private welcomed(ack: HelloAck): void {
    const other = this.epoch !== '' && ack.epoch !== undefined && ack.epoch !== this.epoch;
    if (ack.resume && ack.resume.status !== 'resumed') {
      this.store.reset();
      this.snapshotId = '';
    }
    // What another history asked for means nothing here.
    if (other) this.mail.giveUp(say.officeReset);
    this.epoch = ack.epoch ?? '';
    this.sceneId = ack.scene_id ?? DEFAULT_SCENE;
    this.segment = ack.segment ?? '';
    if (ack.heartbeat) this.heart.tune(ack.heartbeat.interval_ms, ack.heartbeat.timeout_ms);
    this.set({ server: ack.server });
    this.replay = [];
    const channels = { events: true, snapshots: true, goals: true, chat: true, agent_stream: true, hud: true, ui: true };
    this.post('subscribe', { scene_id: this.sceneId, channels, snapshots: { mode: 'delta' } });
  }

  /** The text of a record was erased: what was made of it is everywhere, so everything is loaded again. */
  private forget(): void {
    this.store.reset();
    this.snapshotId = '';
    this.lives++;
    this.set({ phase: 'stale' });
    this.connect();
  }

  /** While catching up the store sees bursts; afterwards every message immediately. */
  private take(m: ServerMessage): void {
    if (m.type === 'event' && m.payload.name === 'record_redacted') return this.forget();
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
    for (const text of this.mail.unanswered()) this.line?.send(text);
    this.steps.again();
    if (fresh) void this.readPast(seq);
    void this.readRoom();
  }

  private async readPast(seq: number): Promise<void> {
    const { epoch, lives } = this;
    const messages = await past(this.around, seq);
    if (this.epoch === epoch && this.lives === lives && messages.length > 0) this.store.applyAll(messages);
  }

  private async readRoom(): Promise<void> {
    if (this.store.scene.peek()?.scene_id === this.sceneId) return;
    const found = await room(this.around);
    if (found === 'denied') this.refuse('Sign-in required. Open the link that the office printed when it started.');
    else if (found) this.store.scene.value = found;
  }

  private command(name: CommandName, data: object): Promise<CommandReply> {
    if (this.state.peek().phase !== 'live') {
      return Promise.resolve(offline(say.nothingSent));
    }
    const id = `cmd_${this.around.id()}`;
    const text = this.envelope('command', id, { name, data });
    const reply = this.mail.keep(id, text);
    this.line?.send(text);
    return reply;
  }

  private post(type: string, payload: object): void {
    this.line?.send(this.envelope(type, `msg_${this.around.id()}`, payload));
  }

  private envelope(type: string, id: string, payload: object): string {
    return JSON.stringify({ type, id, ts: Math.round(this.around.now()), v: PROTOCOL_VERSION, payload });
  }

  private lose(code: number): void {
    const end = ending(code, this.refusal);
    // What came of a replay counts: a line that breaks again and again still gets on.
    if (this.replay && this.snapshotId !== '') this.store.applyAll(this.replay);
    this.hangUp(code);
    if (end.final) return this.refuse(end.reason);
    const { phase, attempt: before } = this.state.peek();
    const attempt = before + 1;
    const wait = backoff(attempt, this.around.random());
    const known = phase === 'live' || phase === 'stale';
    this.set({ phase: known ? 'stale' : 'offline', attempt, retryAt: this.around.now() + wait, reason: end.reason });
    this.cancelRetry();
    this.retry = setTimeout(() => this.connect(), wait);
  }

  private refuse(reason: string): void {
    this.hangUp(1000);
    this.cancelRetry();
    this.mail.giveUp(reason);
    this.set({ phase: 'refused', retryAt: null, reason });
  }

  /** The network or the person is back: no need to wait, and a line that slept too long is dead. */
  private returned(): void {
    if (this.opening) return;
    if (this.retry !== null) this.connect();
    else if (this.line && this.heart.silent()) {
      this.lose(4000);
      this.connect();
    }
  }

  private hangUp(code: number): void {
    this.heart.stop();
    const line = this.line;
    this.line = null;
    this.opening = false;
    this.replay = null;
    line?.close(code >= 4000 ? code : 1000);
  }

  private cancelRetry(): void {
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
  }

  private set(change: Partial<LinkState>): void {
    this.state.value = { ...this.state.peek(), ...change };
  }
}
