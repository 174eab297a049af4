const byEnd: Readonly<Record<string, string>> = {
  go: 'go', ts: 'typescript', tsx: 'typescript', mts: 'typescript', js: 'typescript', mjs: 'typescript', cjs: 'typescript', jsx: 'typescript', py: 'python', pyi: 'python',
  json: 'json', jsonl: 'json', sh: 'bash', bash: 'bash', zsh: 'bash', md: 'markdown', yml: 'yaml', yaml: 'yaml',
};
const byMime: readonly (readonly [RegExp, string])[] = [
  [/markdown/, 'markdown'],
  [/json/, 'json'],
  [/x-go|golang/, 'go'],
  [/typescript|javascript/, 'typescript'],
  [/python/, 'python'],
  [/x-sh|shellscript/, 'bash'],
  [/yaml/, 'yaml'],
];

/** Returns the language of a file by its extension; undefined if the language is unknown. */
export function languageOf(path: string): string | undefined {
  const end = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byEnd, end) ? byEnd[end] : undefined;
}

/** Returns the language of a deliverable by its MIME type, or else by its title; undefined if unknown. */
export function artifactLanguage({ mime = '', title = '' }: { mime?: string; title?: string }): string | undefined {
  return byMime.find(([pattern]) => pattern.test(mime))?.[1] ?? languageOf(title);
}
