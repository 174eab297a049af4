import type { Signal } from '@preact/signals';
import type { Artifact, Severity } from '../../contracts/protocol.gen.ts';

/** A line of a patch: a line of the new version, or a removed line with its old number. */
export interface Spot {
  path: string;
  line: number;
  removed: boolean;
}

/** A comment on a line of a patch. */
export interface Comment extends Spot {
  text: string;
}

/** A finding about a line of a patch, by an agent that reviewed the patch. */
export interface AgentFinding extends Comment {
  agentId: string;
  severity: Severity;
}

/** The user's comments on a patch, the line that a comment is being written on, and agents' findings. */
export interface Review {
  findings: readonly AgentFinding[];
  comments: Signal<readonly Comment[]>;
  writing: Signal<Spot | null>;
  /** Whether comments can be added: only while the patch is in review. */
  open: boolean;
}

export const isAt = (a: Spot, b: Spot): boolean => a.path === b.path && a.line === b.line && a.removed === b.removed;

/** Returns the findings of all agents that reviewed a version. */
export function findingsOf({ reviews = [] }: Artifact): readonly AgentFinding[] {
  return reviews.flatMap(({ agent_id: agentId = '', findings = [] }) => findings.map((f) => ({ ...f, removed: f.removed ?? false, agentId })));
}

/** Returns the name of a line, such as "src/cart.ts:12". */
export const spotWords = ({ path, line, removed }: Spot): string => `${path}:${line}${removed ? ' (removed)' : ''}`;

/**
 * Returns the instructions for changes: what the user wrote, then the comments by file and line, each as
 * "path:line: text". hud/work/review.go has the same rule; contracts/vectors/review.json tests both.
 */
export function instructions(words: string, comments: readonly Comment[]): string {
  const order = (a: Comment, b: Comment) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1);
  const lines = [...comments].sort(order).map((c) => `${spotWords(c)}: ${c.text.trim().replaceAll('\n', '\n  ')}`);
  return [words.trim(), lines.join('\n')].filter((part) => part !== '').join('\n\n');
}

const GENERATED = new RegExp(
  [
    '(?:^|/)(?:dist|node_modules|third_party|vendor)/',
    '(?:^|/)(?:Cargo|Gemfile|bun|composer|flake|package-lock|pnpm-lock|poetry|uv|yarn)\\.(?:json|lock|yaml)$',
    '(?:^|/)go\\.sum$',
    '\\.(?:gen|min|pb)\\.\\w+$',
    '_(?:generated|pb2?)\\.\\w+$',
    '\\.(?:map|snap)$',
  ].join('|'),
);

/** Reports whether a program usually generates files with this path, so that a review can fold them. */
export const isGenerated = (path: string): boolean => GENERATED.test(path);
