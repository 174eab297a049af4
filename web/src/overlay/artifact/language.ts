import type { Artifact } from '../../contracts/protocol.gen.ts';

const byEnd: Readonly<Record<string, string>> = {
  go: 'go', ts: 'typescript', tsx: 'typescript', js: 'typescript', mjs: 'typescript', jsx: 'typescript', py: 'python', json: 'json', sh: 'bash', bash: 'bash', md: 'markdown',
};
const byMime: readonly (readonly [RegExp, string])[] = [
  [/json/, 'json'],
  [/x-go|golang/, 'go'],
  [/typescript|javascript/, 'typescript'],
  [/python/, 'python'],
  [/x-sh|shellscript/, 'bash'],
];

/** How a text is shown. */
export type Showing = { kind: 'markdown' } | { kind: 'code'; language: string } | { kind: 'plain' };

export function showingOf(artifact: Artifact): Showing {
  const mime = artifact.mime ?? '';
  if (/markdown/.test(mime)) return { kind: 'markdown' };
  const language = byMime.find(([pattern]) => pattern.test(mime))?.[1] ?? byEnd[/\.(\w+)$/.exec(artifact.title ?? '')?.[1]?.toLowerCase() ?? ''];
  if (language === 'markdown') return { kind: 'markdown' };
  return language ? { kind: 'code', language } : { kind: 'plain' };
}
