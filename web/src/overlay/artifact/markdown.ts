import DOMPurify from 'dompurify';
import { Marked, type Tokens } from 'marked';

/**
 * Turns what agents write into nodes that cannot do anything. This is the only place of the
 * client where text becomes markup, and it holds the only Trusted Types policy.
 */
interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

const rules: Policy = {
  // Only the sanitiser uses the policy, on an inert document; nothing else can reach it.
  createHTML: (html) => html,
  createScriptURL: () => {
    throw new TypeError('No script is ever loaded from a document.');
  },
};
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const policy = factory?.createPolicy('bullpen-markdown', rules);

const TAGS = 'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong b i del s br hr table thead tbody tr th td a span details summary kbd sub sup'.split(' ');
const ATTRS = 'href title class align colspan rowspan start'.split(' ');
const LINKS = /^(?:https?:\/\/|mailto:)/i;
/** Classes of the highlighter and of its languages; others could dress a text up as our own controls. */
const CLASSES = /^(?:hljs[\w-]*|language-[\w+#-]+|function_|class_)(?: (?:hljs[\w-]*|language-[\w+#-]+|function_|class_))*$/;

const marked = new Marked({
  gfm: true,
  renderer: {
    // Pictures of elsewhere are never fetched: they would tell others who reads what.
    image: ({ text, href }: Tokens.Image) => `<span>[image: ${escape(text || 'untitled')}${escape(hostOf(href))}]</span>`,
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  },
});

/** Markdown as nodes. */
export function markdownNodes(text: string): DocumentFragment {
  return safeNodes(marked.parse(text, { async: false }));
}

/** Markup as nodes from which everything but plain formatting is gone. */
export function safeNodes(html: string): DocumentFragment {
  const nodes = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRS,
    ALLOWED_URI_REGEXP: LINKS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
    ...(policy && { TRUSTED_TYPES_POLICY: policy as never }),
  });
  nodes.querySelectorAll('[class]').forEach((el) => {
    if (!CLASSES.test(el.getAttribute('class') ?? '')) el.removeAttribute('class');
  });
  nodes.querySelectorAll('a').forEach(guardLink);
  return nodes;
}

// A link says where it leads before it is pressed, and the page behind it learns nothing of ours.
function guardLink(a: HTMLAnchorElement): void {
  const href = a.getAttribute('href') ?? '';
  if (!LINKS.test(href)) {
    a.removeAttribute('href');
    return;
  }
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
