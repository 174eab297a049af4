import type { Usage } from '../contracts/protocol.gen.ts';

/** One row of the activity feed: a turn, a message, a tool call or a thought. */
export interface HudNode {
  readonly id: string;
  /** The id of the fact that ended this node. */
  readonly endId?: string;
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
  /** The token usage of a turn; set when it ends. */
  readonly usage?: Usage;
  /** The answer at the end of a turn. */
  readonly said?: string;
}

/** The nodes of a panel: finished nodes from history, which can be collapsed, then live and running nodes. */
export interface HudView {
  readonly replay: readonly HudNode[];
  readonly live: readonly HudNode[];
  /** How many older nodes were left out. */
  readonly hidden: number;
}

export const defaultVisible = 50;

/** Returns the newest nodes up to a limit that includes children; a truncated turn keeps its newest children. */
export function recent(roots: readonly HudNode[], limit: number = defaultVisible): HudView {
  let room = limit;
  const kept: HudNode[] = [];
  for (const root of roots.toReversed()) {
    if (room <= 0) break;
    const [node, used] = cut(root, room);
    kept.push(node);
    room -= used;
  }
  kept.reverse();
  const past = (n: HudNode) => n.replay && n.state !== 'running';
  return {
    replay: kept.filter(past),
    live: kept.filter((n) => !past(n)),
    hidden: count(roots) - count(kept),
  };
}

/** Counts nodes, children included. */
export function count(nodes: readonly HudNode[]): number {
  return nodes.reduce((sum, n) => sum + 1 + count(n.children), 0);
}

function cut(node: HudNode, room: number): [HudNode, number] {
  if (1 + count(node.children) <= room) return [node, 1 + count(node.children)];
  const children = room > 1 ? node.children.slice(1 - room) : [];
  return [{ ...node, children }, 1 + children.length];
}
