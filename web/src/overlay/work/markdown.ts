import DOMPurify from 'dompurify';
import { Marked, type Tokens } from 'marked';
import { plain } from '../../world/plain.ts';

// Converts Markdown written by agents to inert nodes. This file is the only place in the client
// where text becomes markup, and it has the only Trusted Types policy.

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

const rules: Policy = {
  // Only the sanitizer uses the policy, on an inert document; nothing else can reach it.
  createHTML: (html) => html,
  createScriptURL: () => {
    throw new TypeError('No script is ever loaded from a document.');
  },
};
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const policy = factory?.createPolicy('bullpen-markdown', rules);

const TAGS: readonly string[] = 'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong b i del s br hr table thead tbody tr th td a span details summary kbd sub sup'.split(' ');
const ATTRS: readonly string[] = 'href title class align colspan rowspan start'.split(' ');
const LINKS = /^(?:https?:\/\/|mailto:)/i;
/** Links to files in the office's folder, by relative path. The page opens these files itself. */
const FILES = /^\.\/(?!(?:.*\/)?\.\.(?:\/|$))[^?#]+(?:#L[1-9]\d{0,6})?$/;
/** Classes that name the language of code; any other class could make text look like our own controls. */
const CLASSES = /^language-[\w+#-]+$/;

const marked = new Marked({
  gfm: true,
  renderer: {
    // External images are never loaded, because loading them would reveal who reads the document.
    image: ({ text, href }: Tokens.Image) => `<span>[image: ${escape(text || 'untitled')}${escape(hostOf(href))}]</span>`,
    html: ({ text }: Tokens.HTML | Tokens.Tag) => bareTags(text),
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  },
});

// Reduces HTML in Markdown to bare tags before it is parsed: browsers report even event handlers
// that they refuse to run.
function bareTags(html: string): string {
  const bare = html
    .replaceAll(/<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replaceAll(/<(\/?)([a-z]\w*)(?:"[^"]*"|'[^']*'|[^'">])*>/gi, (_, end: string, tag: string) => (TAGS.includes(tag.toLowerCase()) ? `<${end}${tag}>` : ''));
  return escape(bare).replaceAll(/&lt;(\/?\w+)&gt;/g, (whole, tag: string) => (TAGS.includes(tag.replace('/', '').toLowerCase()) ? `<${tag}>` : whole));
}

/** Converts Markdown to sanitized nodes. */
export function markdownNodes(text: string): DocumentFragment {
  return safeNodes(marked.parse(text, { async: false }));
}

/** Converts markup to nodes and removes everything but plain formatting. */
function safeNodes(html: string): DocumentFragment {
  const clean = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...TAGS],
    ALLOWED_ATTR: [...ATTRS],
    ALLOWED_URI_REGEXP: new RegExp(`${LINKS.source}|${FILES.source}`, 'i'),
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
    ...(policy && { TRUSTED_TYPES_POLICY: policy as never }),
  });
  const nodes = document.createDocumentFragment();
  copyInto(nodes, clean);
  nodes.querySelectorAll('a[href]').forEach(guardLink);
  return nodes;
}

// Recreates every node whose tag is in TAGS, so that a bug in the parser or the sanitizer alone does no harm.
function copyInto(to: Node, from: Node): void {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(plain(child.nodeValue ?? '')));
    if (child.nodeType !== Node.ELEMENT_NODE) continue;
    const el = child as Element;
    const tag = el.tagName.toLowerCase();
    if (!TAGS.includes(tag)) continue;
    if (tag === 'a' && FILES.test(el.getAttribute('href') ?? '')) {
      to.appendChild(fileButton(el));
      continue;
    }
    // A link without an allowed target becomes a span; otherwise it would still look like a link.
    const made = document.createElement(tag === 'a' && !allowed('href', el.getAttribute('href') ?? '') ? 'span' : tag);
    for (const name of ATTRS) {
      const value = el.getAttribute(name);
      if (value !== null && allowed(name, value)) made.setAttribute(name, name === 'title' ? plain(value) : value);
    }
    copyInto(made, el);
    to.appendChild(made);
  }
}

/** Returns a button whose value is the file's path and line; MarkdownView passes the value to onFile. */
function fileButton(link: Element): Element {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'link file-link';
  made.value = link.getAttribute('href') ?? '';
  copyInto(made, link);
  return made;
}

function allowed(name: string, value: string): boolean {
  if (name === 'href') return LINKS.test(value);
  return name !== 'class' || CLASSES.test(value);
}

// Shows the host next to a link whose text is not its URL, and stops the browser from sending a referrer.
function guardLink(a: Element): void {
  const href = a.getAttribute('href') ?? '';
  a.setAttribute('rel', 'noopener noreferrer');
  a.setAttribute('target', '_blank');
  const host = hostOf(href);
  if (host !== '' && a.textContent?.trim() !== href) {
    const shown = document.createElement('span');
    shown.className = 'link-host';
    shown.textContent = host;
    a.append(shown);
  }
}

function hostOf(href: string): string {
  try {
    const url = new URL(href);
    return url.protocol === 'mailto:' ? ` (${url.pathname})` : url.host === '' ? '' : ` (${url.host})`;
  } catch {
    return '';
  }
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
