import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = { bash, go, json, markdown, python, typescript, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** A highlighted range of a line, and its CSS class. */
export type Run = readonly [from: number, to: number, name: string];

interface Node {
  scope?: string;
  children: readonly (Node | string)[];
}

/** Returns the highlighted ranges of each line. Reads the highlighter's tree, so that no markup is created. */
export function colours(code: string, language: string): readonly (readonly Run[])[] {
  const tree = hljs.highlight(code, { language, ignoreIllegals: true })._emitter as unknown as { rootNode: Node };
  const lines: Run[][] = [[]];
  let at = 0;
  const walk = (node: Node, name: string) => {
    for (const child of node.children) {
      if (typeof child !== 'string') {
        walk(child, child.scope ? `hljs-${child.scope.replace(/[.:].*/, '')}` : name);
        continue;
      }
      child.split('\n').forEach((part, i) => {
        if (i > 0) {
          lines.push([]);
          at = 0;
        }
        if (name !== '' && part !== '') lines.at(-1)!.push([at, at + part.length, name]);
        at += part.length;
      });
    }
  };
  walk(tree.rootNode, '');
  return lines;
}
