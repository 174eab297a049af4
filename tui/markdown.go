package tui

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	markdownMost = 256 << 10 // bytes that are laid out as Markdown; more is shown as plain text
	readWidth    = 96        // longer lines are hard to read
)

// contentDoc shows a text as what it is: Markdown laid out, code with line numbers,
// anything else as text.
func (a *app) contentDoc(art *contracts.Artifact, content string, w int) (d workDoc) {
	if isMarkdown(art) && len(content) <= markdownMost && tame(content) {
		if lines := a.markdown(content, min(w-2, readWidth)); lines != nil {
			for _, line := range lines {
				d.add(workRow{fixed: line})
			}
			return d
		}
	}
	if mime, _, _ := strings.Cut(art.MIME, ";"); mime != "" && mime != "text/plain" {
		d.code(&a.look, content, 1)
		return d
	}
	for line := range strings.SplitSeq(content, "\n") {
		d.add(workRow{gutter: "  ", spans: plainSpans(line, a.look.plain)})
	}
	return d
}

func isMarkdown(art *contracts.Artifact) bool {
	mime, _, _ := strings.Cut(art.MIME, ";")
	return mime == "text/markdown" || mime == "text/x-markdown" || mime == "" && art.Type != "code"
}

// markdown lays Markdown out in w cells, one of them a margin; nil when that is not
// possible, whatever the text did.
func (a *app) markdown(content string, w int) (lines []string) {
	defer func() {
		if recover() != nil { // a text of strangers must not end the program
			lines = nil
		}
	}()
	source := []byte(content)
	parser := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
	p := page{source: source, look: &a.look}
	lines = p.blocks(parser.Parse(text.NewReader(source)), max(1, w-1), 0)
	for i := range lines {
		lines[i] = strings.TrimRight(" "+lines[i], " ")
	}
	return lines
}

// A parser of Markdown needs the square of what may begin or end something in one
// paragraph. Text of strangers may have only so much of it.
const (
	tameSquares = 1 << 24 // the sum of those squares, of all paragraphs
	tameLines   = 4096    // lines of one paragraph, or of one table
	tameNames   = 512     // links that are defined by name
	tameDeep    = 32      // quotes and lists within each other
)

// tame reports whether a text is laid out in moments, whatever it is made of.
func tame(content string) bool {
	squares, signs, lines, names := 0, 0, 0, 0
	for line := range strings.Lines(content) {
		body := strings.TrimLeft(line, " \t>-+*0123456789.)")
		if strings.TrimSpace(line) == "" {
			squares += signs * signs
			signs, lines = 0, 0
			continue
		}
		lines++
		for _, c := range []byte(body) {
			if strings.IndexByte("*_~[]`<!", c) >= 0 {
				signs++
			}
		}
		if strings.HasPrefix(body, "[") && strings.Contains(body, "]:") {
			names++
		}
		if squares+signs*signs > tameSquares || lines > tameLines || names > tameNames || deep(line[:len(line)-len(body)]) > tameDeep {
			return false
		}
	}
	return true
}

// deep is within how many quotes and lists a line may be, by its beginning.
func deep(beginning string) (n int) {
	for i := range len(beginning) {
		switch c := beginning[i]; {
		case c == '>', c == '\t':
			n++
		case strings.IndexByte("-+*.)", c) >= 0 && strings.HasPrefix(beginning[i+1:], " "):
			n++
		}
	}
	if n > 0 {
		n += (len(beginning) - len(strings.TrimLeft(beginning, " "))) / 2
	}
	return n
}
