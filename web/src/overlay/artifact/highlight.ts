import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { safeNodes } from './markdown.ts';

const languages = { bash, go, json, markdown, python, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Code as coloured nodes. */
export function codeNodes(code: string, language: string): DocumentFragment {
  return safeNodes(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}
