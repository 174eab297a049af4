import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type {
  AccessRole,
  Artifact,
  Decision,
  Decor,
  EventMessage,
  HudMessage,
  OfficeUsage,
  Player,
  Project,
  Repo,
  Room,
  SceneManifest,
  Source,
  Task,
} from '../contracts/protocol.gen.ts';
import { addFact } from '../hud/pairing.ts';
import type { HudNode } from '../hud/tree.ts';
import { Bulletin, type NoticeRow, type StatusRow } from './bulletin.ts';
import { composeScene, placeCampus, type Placed } from './campus.ts';
import { ServerClock } from './clock.ts';
import { deskFacts, type DeskFacts } from './desk_facts.ts';
import { same, tables } from './draft.ts';
import { History } from './history.ts';
import { needs } from './needs.ts';
import type { AgentView, ChatRow, FeedRow, Need, ServerChatMessage, ServerMessage, StreamView, UiRow } from './rows.ts';
import { OrderedLog } from './ordered_log.ts';
import { foldDelta } from './stream.ts';
import { knownEvent, sourceNamed } from './words.ts';

export type { NoticeRow, StatusRow } from './bulletin.ts';
export type { AgentView, ChatRow, FeedRow, Motion, Need, ServerMessage, StreamView, UiRow } from './rows.ts';

// How many timeline lines and chat lines are kept.
const limitFeed = 500;
const limitChats = 500;
// How many lines of frequent events are kept. They are kept separately, so that they do not push
// out other lines.
const limitFrequent = 200;
const frequentEvents: ReadonlySet<string> = new Set(['agent_status', 'usage_reported']);

/**
 * The client's copy of the office's state: a fold of the server's messages. Messages may
 * arrive in any order and more than once; a signal changes only when its value does.
 */
export class Store {
  readonly scene: Signal<SceneManifest | null> = signal(null);
  /** The cursor: the highest seq that was applied. */
  readonly seq: Signal<number> = signal(0);
  /** The number of resets. Everything derived from the state before a reset must be dropped. */
  readonly resets: Signal<number> = signal(0);
  readonly agents: Signal<readonly AgentView[]> = signal([]);
  readonly projects: Signal<readonly Project[]> = signal([]);
  readonly tasks: Signal<readonly Task[]> = signal([]);
  readonly artifacts: Signal<readonly Artifact[]> = signal([]);
  readonly decisions: Signal<readonly Decision[]> = signal([]);
  readonly decor: Signal<readonly Decor[]> = signal([]);
  /** The open rooms next to the house, in the order in which they were opened. */
  readonly rooms: Signal<readonly Room[]> = signal([]);
  /** The repositories that the office works in. */
  readonly repos: Signal<readonly Repo[]> = signal([]);
  readonly players: Signal<readonly Player[]> = signal([]);
  /** Descriptions of agents' sources and runners, with labels and colours. */
  readonly sources: Signal<readonly Source[]> = signal([]);
  readonly chats: Signal<readonly ChatRow[]> = signal([]);
  readonly feed: Signal<readonly FeedRow[]> = signal([]);
  /** The timeline's frequent lines: status changes and usage reports. */
  readonly frequent: Signal<readonly FeedRow[]> = signal([]);
  /** Raw workflow events. */
  readonly uiLog: Signal<readonly UiRow[]> = signal([]);
  /** The office's usage; null before the first report. */
  readonly usage: Signal<OfficeUsage | null> = signal(null);
  readonly streams: Signal<ReadonlyMap<string, StreamView>> = signal(new Map());
  readonly hud: Signal<readonly HudNode[]> = signal([]);
  /** The statuses that runs announced and that have not expired. */
  readonly status: Signal<readonly StatusRow[]> = signal([]);
  readonly notices: Signal<readonly NoticeRow[]> = signal([]);
  /** The player_id of this page. */
  readonly me: Signal<string> = signal('');
  readonly access: Signal<AccessRole> = signal('viewer');
  /** Whether this page may answer permission requests. */
  readonly permit: Signal<boolean> = signal(false);
  readonly needs: ReadonlySignal<readonly Need[]>;
  /** The manifests of the modules that rooms are made of, by id. */
  readonly modules: Signal<ReadonlyMap<string, SceneManifest>> = signal(new Map());
  /** The recorded facts about each agent's work, by agent_id. */
  readonly desks: ReadonlySignal<ReadonlyMap<string, DeskFacts>> = computed(() => deskFacts(this.agents.value, this.hud.value));
  /** The house and, if there are rooms, the garden and the rooms. */
  readonly campus: ReadonlySignal<readonly Placed[]> = computed(() => (this.scene.value ? placeCampus(this.scene.value, this.modules.value, this.rooms.value) : []));
  /** The scene of the house, with the places of the whole campus. */
  readonly places: ReadonlySignal<SceneManifest | null> = computed(() => (this.campus.value.length > 0 ? composeScene(this.campus.value) : null));

  private readonly history = new History();
  private readonly clock: ServerClock;
  private readonly talk = new OrderedLog<ChatRow>(limitChats);
  private readonly lines = new OrderedLog<FeedRow>(limitFeed);
  private readonly frequentLines = new OrderedLog<FeedRow>(limitFrequent);
  private readonly bulletin = new Bulletin();
  /** True between hello_ack and the snapshot after it, when messages are history. */
  private catchingUp = true;

  constructor(local: () => number = () => performance.timeOrigin + performance.now()) {
    this.clock = new ServerClock(local);
    let shown: readonly Need[] = [];
    this.needs = computed(() => {
      const fresh = needs({
        agents: this.agents.value,
        projects: this.projects.value,
        tasks: this.tasks.value,
        artifacts: this.artifacts.value,
        decisions: this.decisions.value,
      });
      return (shown = same(fresh, shown) ? shown : fresh);
    });
  }

  /** Returns the server's time in ms. */
  now(): number {
    return this.clock.now();
  }

  apply(m: ServerMessage): void {
    this.applyAll([m]);
  }

  /** Applies many messages; each signal changes at most once. */
  applyAll(messages: readonly ServerMessage[]): void {
    batch(() => {
      for (const m of messages) this.take(m);
      this.publish();
    });
  }

  /** Clears everything that came from messages, before a fresh start. The scene and the clock stay. */
  reset(): void {
    this.history.reset();
    this.talk.clear();
    this.lines.clear();
    this.frequentLines.clear();
    this.bulletin.clear();
    batch(() => {
      this.seq.value = 0;
      this.resets.value++;
      this.streams.value = new Map();
      this.hud.value = [];
      this.publish();
    });
  }

  private take(m: ServerMessage): void {
    const past = this.catchingUp || this.history.contains(seqOf(m));
    switch (m.type) {
      case 'hello_ack':
        this.catchingUp = true;
        this.me.value = m.payload.player_id ?? '';
        this.access.value = m.payload.access ?? 'viewer';
        this.permit.value = m.payload.permit ?? false;
        break;
      case 'snapshot':
        this.history.snapshot(m);
        this.catchingUp = false;
        this.dropStreams();
        break;
      case 'event':
        this.history.record(m);
        // A status with meta means that an agent has answered, so it belongs in the feed.
        (frequentEvents.has(m.payload.name) && !m.payload.meta ? this.frequentLines : this.lines).add(this.line(m, past));
        break;
      case 'agent_goal':
        this.history.record(m);
        break;
      case 'chat':
        this.talk.add(chatRow(m, past));
        break;
      case 'hud':
        this.hud.value = addFact(this.hud.value, { id: m.id, ts: m.ts, hud: past ? asReplay(m) : m.payload });
        break;
      case 'ui':
        this.bulletin.take(m, past);
        break;
      case 'agent_stream': {
        const { agent_id: agent } = m.payload;
        const view = foldDelta(this.streams.value.get(agent), m.payload, m.ts);
        if (view && view !== this.streams.value.get(agent)) this.streams.value = new Map(this.streams.value).set(agent, view);
      }
    }
    if (isFresh(m)) this.clock.observe(m.ts);
    this.seq.value = Math.max(this.seq.value, seqOf(m));
  }

  /** Drops the streams of agents that have left. */
  private dropStreams(): void {
    const here = new Set(this.history.rows.agents.map((row) => row.agent_id));
    const kept = [...this.streams.value].filter(([agent]) => here.has(agent));
    if (kept.length < this.streams.value.size) this.streams.value = new Map(kept);
  }

  private line(m: EventMessage, replay: boolean): FeedRow {
    const { name, seq = this.seq.value } = m.payload;
    return { id: m.id, seq, ts: m.ts, name, event: m.payload, known: knownEvent(name), replay };
  }

  private publish(): void {
    for (const table of tables) {
      if (table !== 'agents') (this[table] as Signal<unknown>).value = this.history.rows[table];
    }
    this.agents.value = this.views();
    this.chats.value = this.talk.all();
    this.feed.value = this.lines.all();
    this.frequent.value = this.frequentLines.all();
    this.usage.value = this.history.rows.usage;
    this.uiLog.value = this.bulletin.log();
    this.status.value = this.bulletin.current(this.now());
    this.notices.value = this.bulletin.notices();
  }

  private readonly viewed = new WeakMap<object, AgentView>();

  /** Joins the agents with their motions, sources and evidence; a view is the same object until a part changes. */
  private views(): readonly AgentView[] {
    const views = this.history.rows.agents.map((row) => {
      const motion = this.history.motions.get(row.agent_id);
      const evidence = this.evidenceOf(row);
      const from = sourceNamed(this.history.rows.sources, row.source || row.runner);
      const old = this.viewed.get(row);
      if (old && old.motion === motion && old.from === from && old.evidence === evidence) return old;
      const view: AgentView = motion || from || evidence ? { ...row, ...(motion && { motion }), ...(from && { from }), ...(evidence && { evidence }) } : row;
      this.viewed.set(row, view);
      return view;
    });
    const shown = this.agents.value;
    return views.length === shown.length && views.every((view, i) => view === shown[i]) ? shown : views;
  }

  /** Returns the evidence for an agent's status, or undefined if the stored evidence is for another status. */
  private evidenceOf(row: AgentView): AgentView['evidence'] {
    const status = row.activity && this.history.statuses.get(row.agent_id);
    const agrees = status && status.activity === row.activity && status.authority === row.authority && status.why === row.why;
    return agrees ? status.evidence : undefined;
  }
}

/** Returns a message's position in the ledger, or 0 for messages that are not in it, such as streams. */
function seqOf(m: ServerMessage): number {
  switch (m.type) {
    case 'event':
    case 'agent_goal':
    case 'chat':
    case 'hud':
    case 'ui':
    case 'snapshot':
      return m.payload.seq ?? 0;
  }
  return 0;
}

// Reports whether a message was created when it was sent, so that its timestamp shows the server's time.
function isFresh(m: ServerMessage): boolean {
  return m.type === 'hello_ack' || m.type === 'snapshot' || m.type === 'pong' || m.type === 'ack';
}

function asReplay(m: HudMessage): HudMessage['payload'] {
  return { ...m.payload, replay: true };
}

function chatRow(m: ServerChatMessage, replay: boolean): ChatRow {
  const { seq = 0, ...said } = m.payload;
  return { ...said, id: m.id, seq, ts: m.ts, replay };
}
