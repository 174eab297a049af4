package rehearsal

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
)

// notice appears at the top of every page, so that no one mistakes a rehearsal for the work of a
// model or a person.
const notice = "> **Rehearsal.** The built-in crew made this page without a model. To put a real agent to work, start the office with `" + ConnectCommand + "`."

// page is a Markdown page divided into sections. parse reverses String, so that a new version can
// build on an earlier one.
type page struct {
	title    string // Markdown
	lead     string // text between the title and the first section
	sections []section
}

// section is a second-level heading and the text under it.
type section struct{ title, body string }

func (p page) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "# %s\n\n%s\n", p.title, p.lead)
	for _, s := range p.sections {
		fmt.Fprintf(&sb, "\n## %s\n\n%s\n", s.title, s.body)
	}
	return sb.String()
}

// parse parses a Markdown page. It ignores headings inside code fences.
func parse(text string) page {
	var p page
	var body []string
	fenced := false
	flush := func() {
		t := strings.TrimSpace(strings.Join(body, "\n"))
		if len(p.sections) == 0 {
			p.lead = t
		} else {
			p.sections[len(p.sections)-1].body = t
		}
		body = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		switch heading, isSection := strings.CutPrefix(line, "## "); {
		case isSection && !fenced:
			flush()
			p.sections = append(p.sections, section{title: heading})
		case p.title == "" && !fenced && strings.HasPrefix(line, "# "):
			p.title = strings.TrimPrefix(line, "# ")
		default:
			body = append(body, line)
		}
	}
	flush()
	return p
}

// lead returns the top of a page: the notice, and the quoted request and constraints.
func lead(p contracts.Project) string {
	out := notice + "\n\nYour request:\n\n" + quote(requestOf(p))
	if rows := constraints(p); len(rows) > 0 {
		out += "\n\nWith these conditions:\n\n" + quote(strings.Join(rows, "\n"))
	}
	return out
}

// slug converts a title to a file name without an extension; "page" if the title has no ASCII
// letters or digits.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return "page"
	}
	return strings.Join(words[:min(len(words), 6)], "-")
}
