const byEnd: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['go', 'go'],
    ['typescript', 'ts tsx mts cts js mjs cjs jsx vue svelte'],
    ['python', 'py pyi'],
    ['rust', 'rs'],
    ['c', 'c h cc cpp cxx hh hpp m cs java kt kts swift scala dart php proto groovy zig'],
    ['ruby', 'rb ex exs lua'],
    ['bash', 'sh bash zsh fish mk dockerfile makefile'],
    ['sql', 'sql'],
    ['css', 'css scss less'],
    ['html', 'html htm xml svg'],
    ['json', 'json jsonl jsonc'],
    ['yaml', 'yml yaml toml ini cfg conf env properties'],
    ['markdown', 'md markdown'],
  ].flatMap(([language, ends]) => ends!.split(' ').map((end) => [end, language!])),
);
const byMime: readonly (readonly [RegExp, string])[] = [
  [/markdown/, 'markdown'],
  [/json/, 'json'],
  [/x-go|golang/, 'go'],
  [/typescript|javascript/, 'typescript'],
  [/python/, 'python'],
  [/x-sh|shellscript/, 'bash'],
  [/yaml/, 'yaml'],
];

/** Returns the language of a file based on its name, or undefined if the language is unknown. */
export function languageOf(path: string): string | undefined {
  const end = /(?:\.(\w+)|(?:^|\/)(makefile|dockerfile))$/i.exec(path)?.slice(1).find(Boolean)?.toLowerCase() ?? '';
  return Object.hasOwn(byEnd, end) ? byEnd[end] : undefined;
}

/** Returns a deliverable's language, based on its MIME type or else its title; undefined if unknown. */
export function artifactLanguage({ mime = '', title = '' }: { mime?: string; title?: string }): string | undefined {
  return byMime.find(([pattern]) => pattern.test(mime))?.[1] ?? languageOf(title);
}
