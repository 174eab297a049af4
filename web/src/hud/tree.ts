/** One row of the activity feed: a turn, or a tool call or thought inside it. */
export interface HudNode {
  readonly id: string;
  readonly correlationId?: string;
  readonly type: 'turn' | 'tool' | 'think' | 'received';
  readonly subtype?: string;
  readonly state: 'running' | 'done' | 'error';
  readonly label: string;
  readonly tool?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly durationMs?: number;
  readonly children: readonly HudNode[];
  readonly replay: boolean;
  readonly agent_id?: string;
  readonly session?: string;
  readonly task_id?: string;
  readonly rehearsal?: boolean;
}
