import { RICH_CHARS } from './limits.ts';

/** A highlighted range of a line, and its CSS class. */
export type Run = readonly [from: number, to: number, name: string];

/** How a language is highlighted: the sources of regular expressions, and the keywords. */
interface Language {
  comment?: string;
  text?: string;
  /** Matches names, such as YAML keys, but not the names of called functions. */
  name?: string;
  words?: string;
}

// A comment or string that is not closed extends to the end of the text, so that a pattern never
// reads the same text twice.
const END = '(?![^])';
const slashes = `//.*|/\\*[^]*?(?:\\*/|${END})`;
const hash = '(?<!\\S)#.*';
const double = '"(?:\\\\[^]|[^\\\\\\n"])*"?';
// An apostrophe may also be part of a word, so a string must be closed on the same line.
const single = "'(?:\\\\.|[^\\\\\\n']){0,200}'";
// In languages with character literals, an apostrophe may also begin a lifetime.
const character = "'(?:\\\\.[^\\n']{0,9}|[^\\\\\\n'])'";
const backtick = `\`(?:\\\\[^]|[^\\\\\`])*(?:\`|${END})`;
const tripled = ['"""', "'''"].map((q) => `${q}[^]*?(?:${q}|${END})`).join('|');

const control = 'break case catch class const continue default do else enum false finally for if import in new null return static super switch this throw true try var void while ';

const languages: Readonly<Record<string, Language>> = {
  go: { comment: slashes, text: `${double}|${backtick}|${character}`, words: 'any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface iota make map nil package range return rune select string struct switch true type uint64 var' },
  typescript: { comment: slashes, text: `${double}|${backtick}|${single}`, words: `${control}abstract any as async await boolean debugger declare delete export extends from function get implements instanceof interface keyof let never number of private protected public readonly satisfies set string symbol type typeof undefined unknown with yield` },
  python: { comment: '#.*', text: `${tripled}|${double}|${single}`, words: 'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield' },
  rust: { comment: slashes, text: `${double}|${character}`, words: 'Self as async await bool break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self static str struct super trait true type u8 u32 u64 unsafe use usize where while' },
  c: { comment: slashes, text: `${double}|${single}`, words: `${control}abstract auto bool boolean char delete double explicit extends extern final float fun func goto guard implements int interface internal let long message namespace nil nullptr operator override package private protected public readonly signed sizeof short string struct template typedef typename union unsigned using val virtual volatile when` },
  ruby: { comment: '(?<!\\S)(?:#|--).*', text: `${double}|${single}`, words: 'alias and begin break case class def defmodule do else elsif end ensure false fn for function if in local module next nil not or redo require rescue return self super then true unless until when while yield' },
  bash: { comment: hash, text: `${double}|'[^']*'?`, words: 'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR case cd do done echo elif else esac exec exit export fi for function if in local read return set shift source then trap unset while', name: '\\$\\{?\\w+\\}?' },
  sql: { comment: `--.*|/\\*[^]*?(?:\\*/|${END})`, text: `${single}|${double}`, words: 'ALTER AND AS ASC BEGIN BY CASE CREATE DEFAULT DELETE DESC DISTINCT DROP ELSE END EXISTS FROM GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY REFERENCES SELECT SET TABLE THEN UNION UNIQUE UPDATE VALUES VIEW WHEN WHERE WITH' },
  css: { comment: `/\\*[^]*?(?:\\*/|${END})`, text: `${double}|${single}`, name: '(?<![\\w-])[\\w-]{1,60}(?=\\s*:\\s)|[.#@][a-zA-Z][\\w-]*' },
  html: { comment: `<!--[^]*?(?:-->|${END})`, text: double, name: '</?[a-zA-Z][\\w:-]*|/?>' },
  json: { comment: slashes, text: double, name: '"(?:\\\\.|[^\\\\\\n"])*"(?=\\s*:)', words: 'false null true' },
  yaml: { comment: hash, text: `${double}|${single}`, name: '^(?:[ \\t]*-)?[ \\t]*[\\w./-]{1,80}(?=\\s*[:=](?:\\s|$))|^\\[.*\\]', words: 'false no null true yes' },
  markdown: { comment: `<!--[^]*?(?:-->|${END})`, text: '`[^`\\n]+`', name: '^#{1,6} .*' },
};

type Token = 'comment' | 'name' | 'text' | 'number' | 'id';

/** The patterns and keywords of the languages used so far. */
const compiled = new Map<string, { pattern: RegExp; words: ReadonlySet<string>; anyCase: boolean }>();

function compile(name: string) {
  const made = compiled.get(name);
  if (made) return made;
  const { comment, text, name: names, words = '' } = languages[name]!;
  const parts: readonly (readonly [Token, string | undefined])[] = [
    ['comment', comment],
    ['name', names],
    ['text', text],
    ['number', '\\b\\d[\\w.]*'],
    ['id', '[\\p{L}_$][\\p{L}\\p{N}_$]*'],
  ];
  const source = parts.flatMap(([token, pattern]) => (pattern ? [`(?<${token}>${pattern})`] : [])).join('|');
  const language = { pattern: new RegExp(source, 'gmu'), words: new Set(words.split(' ')), anyCase: name === 'sql' };
  compiled.set(name, language);
  return language;
}

/**
 * Returns the highlighted ranges of each line: comments, strings, numbers, keywords and names. Returns none for an
 * unknown language and for code longer than RICH_CHARS.
 */
export function colours(code: string, language: string | undefined): readonly (readonly Run[])[] {
  if (!language || !Object.hasOwn(languages, language) || code.length > RICH_CHARS) return [];
  const { pattern, words, anyCase } = compile(language);
  const lines: Run[][] = [[]];
  let start = 0; // where the current line begins
  let read = 0; // line ends are known up to here
  const newLines = (upTo: number) => {
    for (let end = code.indexOf('\n', read); end >= 0 && end < upTo; end = code.indexOf('\n', end + 1)) {
      lines.push([]);
      start = end + 1;
    }
    read = Math.max(read, upTo);
  };
  for (const found of code.matchAll(pattern)) {
    const [text] = found;
    const name = className(found, words, anyCase, code[found.index + text.length]);
    if (name === '') continue;
    newLines(found.index);
    let at = found.index;
    for (const part of text.split('\n')) {
      newLines(at);
      if (part !== '') lines.at(-1)!.push([at - start, at - start + part.length, name]);
      at += part.length + 1;
    }
  }
  newLines(code.length + 1);
  return lines;
}

/** Returns the CSS class of a match, or an empty string if it is not highlighted. */
function className({ groups = {}, 0: text }: RegExpExecArray, words: ReadonlySet<string>, anyCase: boolean, next: string | undefined): string {
  if (groups['id'] === undefined) {
    const token = (['comment', 'name', 'text', 'number'] as const).find((t) => groups[t] !== undefined);
    return token ? `code-${token}` : '';
  }
  if (words.has(anyCase ? text.toUpperCase() : text)) return 'code-word';
  return next === '(' ? 'code-name' : '';
}
