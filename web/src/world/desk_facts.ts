import { LINE_COMPACTING } from '../contracts/limits.gen.ts';
import type { HudNode } from '../hud/tree.ts';
import type { AgentView } from './rows.ts';

/** One entry of an agent's to-do list. */
export interface Todo { text: string; done: boolean; active: boolean }

/** The recorded facts about an agent's work, for its desk, its panel and the text view. Absent means not recorded. */
export interface DeskFacts {
  /** The tool call in progress, described in one line. */
  line?: string;
  todos?: readonly Todo[];
  /** The label of the newest tool call, if it failed. */
  failed?: string;
  /** How many tokens the model read for its last message. */
  context?: number;
  /** The estimated share of the model's context window that these tokens fill, 0 to 1. */
  contextFill?: number;
  compacting?: boolean;
}

/**
 * The context sizes of Claude models, in tokens: the default, and the size with the option for long conversations.
 */
const claudeWindows = [200_000, 1_000_000] as const;
/** How many to-dos are kept. */
const limitTodos = 50;

interface Summary { line?: string; todos?: readonly Todo[]; ended?: { at: number; failed?: string } }

// Nodes are immutable, so only changed nodes are read again.
const known = new WeakMap<HudNode, Summary>();

function summaryOf(node: HudNode): Summary {
  let s = known.get(node);
  if (s) return s;
  s = {};
  for (const n of [...node.children, node]) {
    if (n.type !== 'tool') continue;
    s.todos = todosIn(n) ?? s.todos;
    if (n.state === 'running') s.line = n.label;
    else if (!s.ended || (n.endedAt ?? 0) >= s.ended.at) s.ended = { at: n.endedAt ?? 0, ...(n.state === 'error' && { failed: n.label }) };
  }
  known.set(node, s);
  return s;
}

/** Returns the to-do list that a tool call writes in Claude Code's or Codex's format, or undefined if there is none. */
function todosIn({ args }: HudNode): readonly Todo[] | undefined {
  const list = args?.todos ?? args?.plan;
  if (!Array.isArray(list)) return undefined;
  const todos = list.slice(0, limitTodos).flatMap((t: unknown): Todo[] => {
    const { content, step, status } = (t ?? {}) as Record<string, unknown>, text = content ?? step;
    return typeof text === 'string' ? [{ text, done: status === 'completed', active: status === 'in_progress' }] : [];
  });
  return todos.length > 0 ? todos : undefined;
}

/**
 * Returns the share of a model's context window that is filled, 0 to 1, or undefined if the size of the window is
 * unknown. No source reports the size, so this uses the smallest documented size that the conversation fits into.
 */
export function fullness(model: string | undefined, context: number): number | undefined {
  const window = model?.startsWith('claude') ? claudeWindows.find((w) => context <= w) : undefined;
  return window && context / window;
}

/** Returns the facts about each agent that has any, by agent id. */
export function deskFacts(agents: readonly AgentView[], roots: readonly HudNode[]): ReadonlyMap<string, DeskFacts> {
  const sums = new Map<string, Summary>();
  for (const root of roots) {
    if (root.agent_id === undefined) continue;
    const s = summaryOf(root), was = sums.get(root.agent_id) ?? {};
    // Later roots are newer; a turn that has ended has no call in progress.
    sums.set(root.agent_id, { line: s.line ?? (root.state === 'running' ? undefined : was.line), todos: s.todos ?? was.todos, ended: s.ended ?? was.ended });
  }
  const out = new Map<string, DeskFacts>();
  for (const a of agents) {
    const { line, todos, ended } = sums.get(a.agent_id) ?? {}, contextFill = fullness(a.model, a.context ?? 0), compacting = a.status_line === LINE_COMPACTING;
    const facts: DeskFacts = { ...(line !== undefined && { line }), ...(todos && { todos }), ...(ended?.failed !== undefined && { failed: ended.failed }), ...(a.context && { context: a.context, ...(contextFill && { contextFill }) }), ...(compacting && { compacting }) };
    if (Object.keys(facts).length > 0) out.set(a.agent_id, facts);
  }
  return out;
}
