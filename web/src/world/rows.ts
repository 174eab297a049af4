import type {
  AckMessage,
  Agent,
  AgentGoal,
  AgentGoalMessage,
  AgentStreamMessage,
  Chat,
  Envelope,
  ErrorMessage,
  EventMessage,
  Evidence,
  HelloAckMessage,
  HudMessage,
  SegmentMessage,
  SnapshotMessage,
  Source,
  StreamDelta,
  SuggestedAction,
  TimelineEvent,
  Ui,
  UiMessage,
} from '../contracts/protocol.gen.ts';

/** A chat message from the server, with its envelope. */
export type ServerChatMessage = Envelope & { type: 'chat'; payload: Chat };
export type PongMessage = Envelope & { type: 'pong' };

/** Any message from the server. */
export type ServerMessage =
  | HelloAckMessage
  | EventMessage
  | SnapshotMessage
  | SegmentMessage
  | AgentGoalMessage
  | AgentStreamMessage
  | ServerChatMessage
  | AckMessage
  | ErrorMessage
  | PongMessage
  | HudMessage
  | UiMessage;

/** The motion of an agent, from its newest goal; together with the time, it gives the agent's position. */
export interface Motion extends Pick<AgentGoal, 'path' | 'speed_mps' | 'facing' | 'state' | 'goal' | 'why'> {
  seq: number;
  started_at: number;
}

/**
 * An agent with everything that the page shows: its row, its newest motion, the description of its source
 * (guests) or runner (crew), and the evidence about a guest.
 */
export type AgentView = Agent & { motion?: Motion; from?: Source; evidence?: readonly Evidence[] };

/** One message in a chat thread. */
export interface ChatRow {
  id: string;
  seq: number;
  ts: number;
  thread_id: string;
  from: string;
  to: string;
  text: string;
  suggested_actions?: SuggestedAction[];
  project_id?: string;
  answers_seq?: number;
  rehearsal?: boolean;
  /** True if the message was sent before this page connected. */
  replay: boolean;
}

/** One raw workflow event. Events that display nothing are included. */
export interface UiRow {
  id: string;
  seq: number;
  ts: number;
  ui: Ui;
}

/** One line of the timeline. */
export interface FeedRow {
  id: string;
  seq: number;
  ts: number;
  name: string;
  event: TimelineEvent;
  /** False if this build does not support the event; the line then shows the event's name. */
  known: boolean;
  /** True for history: the event happened before this page connected. */
  replay: boolean;
}

/** The output that an agent is streaming. */
export interface StreamView {
  stream_id: string;
  kind: StreamDelta['kind'];
  /** The last part of the streamed text. */
  text: string;
  done: boolean;
  /** Server time of the newest delta. */
  at: number;
  seq: number;
  task_id?: string;
  rehearsal?: boolean;
}

/** A question, permission request, plan, review, raised hand or unchecked session that is waiting for a person. */
export interface Need {
  /** The id of the decision, the artifact, the project (for plan) or the agent (for elsewhere). */
  ref: string;
  kind: 'decision' | 'permission' | 'plan' | 'review' | 'elsewhere' | 'unchecked';
  /** Lower is more urgent. */
  urgency: number;
  title: string;
  agent_id?: string;
  /** The agent's name; set if the agent may have left the office. */
  name?: string;
  /** Server time when the need arose. */
  since: number;
  /** Server time when the agent stops waiting for the answer. */
  until?: number;
  /** A key shared by needs that ask the same question; absent if the need must be answered alone. */
  same?: string;
}
