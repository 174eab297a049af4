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
  SnapshotMessage,
  Source,
  StreamDelta,
  SuggestedAction,
  TimelineEvent,
  Ui,
  UiMessage,
} from '../contracts/protocol.gen.ts';

/** Talk as the server sends it. */
export type ServerChatMessage = Envelope & { type: 'chat'; payload: Chat };
export type PongMessage = Envelope & { type: 'pong' };

/** Everything that the server says. */
export type ServerMessage =
  | HelloAckMessage
  | EventMessage
  | SnapshotMessage
  | AgentGoalMessage
  | AgentStreamMessage
  | ServerChatMessage
  | AckMessage
  | ErrorMessage
  | PongMessage
  | HudMessage
  | UiMessage;

/** How an agent moves, from its newest goal. Where it stands follows from this and the time. */
export interface Motion extends Pick<AgentGoal, 'path' | 'speed_mps' | 'facing' | 'state' | 'goal' | 'why'> {
  seq: number;
  started_at: number;
}

/**
 * An agent as the room shows it: the snapshot's row, its newest motion, what describes the source of a guest or the
 * runner of the crew, and for a guest the evidence.
 */
export type AgentView = Agent & { motion?: Motion; from?: Source; evidence?: readonly Evidence[] };

/** One thing that was said. */
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
  /** From history: it was said before this page was looking. */
  replay: boolean;
}

/** One event of a workflow as it came, also one that draws nothing. */
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
  /** False for a name that this build does not know; it is shown plainly. */
  known: boolean;
  /** From history: it happened before this page was looking. */
  replay: boolean;
}

/** What an agent is writing now. */
export interface StreamView {
  stream_id: string;
  kind: StreamDelta['kind'];
  /** The tail of the text. */
  text: string;
  done: boolean;
  /** Server time of the newest delta. */
  at: number;
  seq: number;
  task_id?: string;
  rehearsal?: boolean;
}

/** Something that waits for the person. */
export interface Need {
  /** Of the decision, the artifact, the project (plan) or the agent (elsewhere). */
  ref: string;
  kind: 'decision' | 'permission' | 'plan' | 'review' | 'elsewhere';
  /** The lower, the sooner. */
  urgency: number;
  title: string;
  agent_id?: string;
  /** Server time. */
  since: number;
  /** Server time after which nobody waits for the answer. */
  until?: number;
  /** Equal for needs that one answer fits; absent when it fits no other. */
  same?: string;
}
