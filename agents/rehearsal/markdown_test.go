package rehearsal

import (
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// shown is the visible text of a Markdown page.
type shown struct {
	headings []string
	quotes   []string // visible characters of each quotation
}

// checkMarkdown parses a page as GitHub does. It fails the test unless the page has exactly one
// title and no HTML, pictures, or links to anything but files in the folder.
func checkMarkdown(t rapid.TB, source string) (doc shown) {
	t.Helper()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	titles := 0
	root := md.Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 {
				titles++
			}
			doc.headings = append(doc.headings, plain(n, source))
		case *ast.Blockquote:
			doc.quotes = append(doc.quotes, visible(plain(n, source)))
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if _, ok := c.(*ast.Paragraph); !ok {
					t.Fatalf("a quotation contains %s:\n%s", c.Kind(), source)
				}
			}
		case *ast.Link: // only to files in the folder
			if !strings.HasPrefix(string(n.Destination), "./") || strings.Contains(string(n.Destination), "..") {
				t.Fatalf("the page links to %s:\n%s", n.Destination, source)
			}
		case *ast.HTMLBlock, *ast.RawHTML, *ast.AutoLink, *ast.Image, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.ThematicBreak:
			t.Fatalf("the page contains %s:\n%s", n.Kind(), source)
		}
		return ast.WalkContinue, nil
	})
	if titles != 1 {
		t.Fatalf("%d titles in\n%s", titles, source)
	}
	return doc
}

// plain returns the text under a node.
func plain(n ast.Node, source string) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(unescaped(t, source))
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// unescaped returns a node's text without the backslashes of escapes; code is returned as it is.
func unescaped(t *ast.Text, source string) []byte {
	raw := t.Segment.Value([]byte(source))
	if _, ok := t.Parent().(*ast.CodeSpan); ok {
		return raw
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && unicode.In(rune(raw[i+1]), unicode.Punct, unicode.Symbol) {
			i++
		}
		out = append(out, raw[i])
	}
	return out
}

// visible returns s without whitespace and control characters.
func visible(s string) string {
	return strings.Join(strings.FieldsFunc(contracts.CleanText(s), unicode.IsSpace), "")
}
