import type { Hud } from '../contracts/protocol.gen.ts';
import { label } from './label.ts';
import type { HudNode } from './tree.ts';

/** One activity event as sent, with the id and time of its envelope. */
export interface HudFact {
  id: string;
  ts: number;
  hud: Hud;
}

// Limits on the nodes that are kept; panels show fewer.
const limitPerAgent = 100;
const limitRoots = 400;
const limitChildren = 100;

/**
 * Adds a start or end fact to a tree with turns at the root, and tool calls and thoughts
 * inside the turns. Returns the new roots, or the same array if the fact changes nothing.
 */
export function addFact(roots: readonly HudNode[], fact: HudFact): readonly HudNode[] {
  const [type, phase] = split(fact.hud.event);
  if (phase === 'end') return end(roots, type, fact);
  const node = start(type, phase, fact);
  const agent = fact.hud.agent_id;
  if (!any(roots, agent, (n) => n.id === fact.id || isPair(n, type, fact.hud))) return place(roots, node, fact.hud.parentId);
  // The end may have arrived first, because history is read while live facts arrive.
  return change(roots, agent, (n) => n.id === n.endId && isPair(n, type, fact.hud), (n) => withStart(n, node));
}

function split(event: string): [HudNode['type'], 'start' | 'end' | 'instant'] {
  if (event === 'received') return ['received', 'instant'];
  const [type, phase] = event.split('_');
  return [type as HudNode['type'], phase === 'end' ? 'end' : 'start'];
}

function start(type: HudNode['type'], phase: 'start' | 'instant', { id, ts: sentAt, hud }: HudFact): HudNode {
  const ts = hud.at ?? sentAt;
  const node: HudNode = {
    id,
    correlationId: hud.correlationId,
    type,
    subtype: hud.subtype,
    state: phase === 'instant' ? 'done' : 'running',
    label: label(hud),
    tool: hud.tool,
    args: hud.args ?? hud.payload,
    startedAt: ts,
    children: [],
    replay: hud.replay ?? false,
    agent_id: hud.agent_id,
    session: hud.session,
    task_id: hud.task_id,
    rehearsal: hud.rehearsal,
    usage: hud.usage,
  };
  return phase === 'instant' ? { ...node, endedAt: ts } : node;
}

/** Reports whether a fact and a node have the same correlationId, type and agent. */
function isPair(n: HudNode, type: HudNode['type'], hud: Hud): boolean {
  return hud.correlationId !== undefined && n.type === type && n.correlationId === hud.correlationId && n.agent_id === hud.agent_id;
}

/** Reports whether any node of the agent matches, at any depth. */
function any(nodes: readonly HudNode[], agent: string | undefined, wanted: (n: HudNode) => boolean): boolean {
  return nodes.some((n) => n.agent_id === agent && (wanted(n) || any(n.children, agent, wanted)));
}

/** Inserts a node into its turn if that turn is known, else at the root. */
function place(roots: readonly HudNode[], node: HudNode, parentId: string | undefined): readonly HudNode[] {
  if (parentId !== undefined) {
    const within = (n: HudNode) => n.type === 'turn' && n.correlationId === parentId && n.agent_id === node.agent_id;
    const placed = change(roots, node.agent_id, within, (turn) => ({ ...turn, children: insert(turn.children, node).slice(-limitChildren) }));
    if (placed !== roots) return placed;
  }
  return trim(insert(roots, node), node.agent_id);
}

// Returns nodes with node inserted by start time, because history may arrive after live facts.
function insert(nodes: readonly HudNode[], node: HudNode): HudNode[] {
  let at = nodes.length;
  while (at > 0 && nodes[at - 1]!.startedAt > node.startedAt) at--;
  return nodes.toSpliced(at, 0, node);
}

function trim(roots: HudNode[], agentId: string | undefined): HudNode[] {
  const own = roots.filter((n) => n.agent_id === agentId);
  const oldest = own.length > limitPerAgent ? own[0] : undefined;
  const kept = oldest ? roots.filter((n) => n !== oldest) : roots;
  return kept.slice(-limitRoots);
}

/**
 * Closes the node with the same correlationId or, if there is none, the oldest running node of the same type and
 * tool. A repeated end changes nothing. An end that matches no node becomes a node of its own if it has a
 * correlationId; otherwise it is ignored.
 */
function end(roots: readonly HudNode[], type: HudNode['type'], fact: HudFact): readonly HudNode[] {
  const { hud } = fact;
  const agent = hud.agent_id;
  if (any(roots, agent, (n) => n.endId === fact.id)) return roots;
  const mine = (n: HudNode) => isPair(n, type, hud);
  if (any(roots, agent, mine)) return change(roots, agent, (n) => mine(n) && n.state === 'running', (n) => withEnd(n, fact));
  const paired = change(roots, agent, (n) => canEnd(n, type, hud), (n) => withEnd(n, fact));
  if (paired !== roots || hud.correlationId === undefined) return paired;
  const startedAt = (hud.at ?? fact.ts) - (hud.durationMs ?? 0);
  const whole = start(type, 'start', { ...fact, ts: startedAt, hud: { ...hud, at: startedAt } });
  return place(roots, withEnd(whole, fact), hud.parentId);
}

function canEnd(n: HudNode, type: HudNode['type'], hud: Hud): boolean {
  if (n.state !== 'running' || n.type !== type || n.agent_id !== hud.agent_id) return false;
  return n.tool === hud.tool;
}

function withStart(n: HudNode, start: HudNode): HudNode {
  return { ...start, ...n, id: start.id, args: start.args, startedAt: start.startedAt, label: n.label || start.label };
}

function withEnd(n: HudNode, { id, ts: sentAt, hud }: HudFact): HudNode {
  const ts = hud.at ?? sentAt;
  return {
    ...n,
    endId: id,
    state: failed(hud.result) ? 'error' : 'done',
    label: hud.label ?? (hud.tool ? label({ ...hud, args: n.args as Hud['args'] }) : n.label),
    result: hud.result ?? n.result,
    usage: hud.usage ?? n.usage,
    said: hud.said ?? n.said,
    endedAt: ts,
    durationMs: hud.durationMs ?? Math.max(0, ts - n.startedAt),
  };
}

function failed(result: Hud['result']): boolean {
  return result?.ok === false || typeof result?.error === 'string';
}

/** Replaces the agent's first matching node, copying only its ancestors; returns the same array if none matches. */
function change(nodes: readonly HudNode[], agent: string | undefined, fits: (n: HudNode) => boolean, to: (n: HudNode) => HudNode): readonly HudNode[] {
  for (const [i, n] of nodes.entries()) {
    if (n.agent_id !== agent) continue;
    if (fits(n)) return nodes.with(i, to(n));
    const children = change(n.children, agent, fits, to);
    if (children !== n.children) return nodes.with(i, { ...n, children });
  }
  return nodes;
}
