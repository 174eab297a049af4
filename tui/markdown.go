package tui

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	markdownMost = 256 << 10 // maximum bytes rendered as Markdown; longer content is shown as its source
	readWidth    = 96        // longer lines are hard to read
)

// contentDoc returns a deliverable's content as a document that depends on its type: rendered
// Markdown, code with line numbers, or plain text.
func (a *app) contentDoc(art *contracts.Artifact, content string, w int) (d workDoc) {
	if isMarkdown(art) && len(content) <= markdownMost && cheap(content) {
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

// markdown renders Markdown as lines of at most w cells, including a left margin of one cell. It
// returns nil if the renderer panics.
func (a *app) markdown(content string, w int) (lines []string) {
	defer func() {
		if recover() != nil { // untrusted text must not crash the program
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

// Limits for untrusted text, because the time to parse Markdown is quadratic in the number of
// possible delimiters in one paragraph.
const (
	cheapSquares = 1 << 24 // squared number of delimiters per paragraph, summed over all paragraphs
	cheapLines   = 4096    // lines of one paragraph or table
	cheapNames   = 512     // link reference definitions
	cheapDepth   = 32      // levels of nested quotes and lists
)

// cheap reports whether content is within the limits for Markdown, so that it renders quickly.
func cheap(content string) bool {
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
		if squares+signs*signs > cheapSquares || lines > cheapLines || names > cheapNames || depthOf(line[:len(line)-len(body)]) > cheapDepth {
			return false
		}
	}
	return true
}

// depthOf estimates from a line's prefix how deeply the line is nested in quotes and lists.
func depthOf(beginning string) (n int) {
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
