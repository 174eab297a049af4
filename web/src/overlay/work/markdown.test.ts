import { describe, expect, it } from 'vitest';
import { markdownNodes } from './markdown.ts';

const html = (text: string): string => {
  const box = document.createElement('div');
  box.append(markdownNodes(text));
  return box.innerHTML;
};

describe('untrusted Markdown', () => {
  it.each([
    ['script', '<script>alert(1)</script>ok'],
    ['handler on a picture', '<img src=x onerror=alert(1)>'],
    ['handler on a paragraph', '<p onclick="alert(1)">hi</p>'],
    ['javascript link', '[x](javascript:alert(1))'],
    ['javascript link with a tab', '<a href="java\tscript:alert(1)">x</a>'],
    ['data link', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['vbscript link', '<a href="vbscript:x">x</a>'],
    ['iframe', '<iframe src="https://example.org"></iframe>'],
    ['style element', '<style>*{display:none}</style>hi'],
    ['style attribute', '<p style="position:fixed;inset:0">hi</p>'],
    ['svg with script', '<svg><script>alert(1)</script><a xlink:href="javascript:1">x</a></svg>'],
    ['math', '<math><mtext><img src=x onerror=alert(1)></mtext></math>'],
    ['form', '<form action="https://example.org"><input name=a><button>go</button></form>'],
    ['object', '<object data="x"></object><embed src="x">'],
    ['base and meta', '<base href="https://example.org"><meta http-equiv=refresh content="0">'],
    ['our own classes', '<span class="toast button primary">hi</span>'],
    ['id that clobbers', '<a id="location" name="cookie" href="https://example.org">x</a>'],
    ['template', '<template><img src=x onerror=alert(1)></template>'],
  ])('%s does nothing', (_, text) => {
    const out = html(text);
    expect(out).not.toMatch(/<(script|img|iframe|style|svg|math|form|input|button|object|embed|base|meta|template|link)\b/i);
    expect(out).not.toMatch(/\son\w+=|javascript:|vbscript:|data:|style=|\sid=|\sname=|class="(?!language-|link-host)/i);
  });

  it('keeps formatting', () => {
    const out = html('First.\n\n# Title\n\n**bold** and `code`\n\n- one\n- [x] two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nx := 1\n```');
    for (const part of ['<h1>Title</h1>', '<strong>bold</strong>', '<li>', '☑', '<table>', 'class="language-go"']) expect(out).toContain(part);
  });

  it('shows where a link leads, and leaks nothing', () => {
    const out = html('[our shop](https://example.org/a?b=1)');
    expect(out).toContain('rel="noopener noreferrer"');
    expect(out).toContain('target="_blank"');
    expect(out).toContain('(example.org)');
    expect(html('<https://example.org/>')).not.toContain('(example.org)');
  });

  it('keeps the text of a link without a target', () => {
    expect(html('[press me](javascript:alert(1)) [home](/here)')).toContain('<span>press me</span> <span>home</span>');
  });

  it('turns links to files of the folder into buttons, and no other links', () => {
    expect(html('[`a.go:3`](<./src/a%20b.go#L3>)')).toContain('<button type="button" class="link file-link" value="./src/a%20b.go#L3"><code>a.go:3</code></button>');
    for (const link of ['./../etc/passwd', './a/../../b', '../b', 'src/a.go', './a?x=1', './a#top']) expect(html(`[x](<${link}>)`)).not.toContain('<button');
  });

  it('names pictures instead of loading them', () => {
    expect(html('![a <b> chart](https://example.org/x.png)')).toContain('[image: a &lt;b&gt; chart (example.org)]');
  });

  it('shows bidi control characters', () => {
    expect(html('a\u202Egpj.exe `b\u2066c` &#x202E;')).toContain('a⟨RLO⟩gpj.exe <code>b⟨LRI⟩c</code> ⟨RLO⟩');
  });
});
