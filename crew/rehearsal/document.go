package rehearsal

import (
	"fmt"
	"strings"
	"unicode"
)

// notice stands on every artifact: nobody must mistake a rehearsal for the work
// of a model or a person.
const notice = "> Rehearsal: written by the built-in crew without a model."

// document is a Markdown text in sections. Rendering and parsing are inverse, so
// that a change request can work on the sections of an earlier version.
type document struct {
	title    string
	lead     string // between the notice and the first section
	sections []section
}

// section is a heading of the second level and what is under it.
type section struct {
	title string
	body  string
}

func (d *document) add(title, format string, args ...any) {
	body := format
	if len(args) > 0 {
		body = fmt.Sprintf(format, args...)
	}
	d.sections = append(d.sections, section{title, strings.TrimSpace(body)})
}

// bullets makes a list; empty entries are left out.
func bullets(items ...string) string { return listed("- ", items) }

func numbered(items ...string) string {
	var sb strings.Builder
	for i, it := range items {
		fmt.Fprintf(&sb, "%d. %s\n", i+1, it)
	}
	return strings.TrimSuffix(sb.String(), "\n")
}

func listed(mark string, items []string) string {
	var lines []string
	for _, it := range items {
		if it != "" {
			lines = append(lines, mark+it)
		}
	}
	return strings.Join(lines, "\n")
}

func (d document) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "# %s\n\n%s\n", d.title, notice)
	if d.lead != "" {
		fmt.Fprintf(&sb, "\n%s\n", d.lead)
	}
	for _, s := range d.sections {
		fmt.Fprintf(&sb, "\n## %s\n\n%s\n", s.title, s.body)
	}
	return sb.String()
}

// parse reads a document back. Headings inside code fences are code.
func parse(text string) document {
	var d document
	var body []string
	fenced := false
	flush := func() {
		t := strings.TrimSpace(strings.Join(body, "\n"))
		if len(d.sections) == 0 {
			d.lead = strings.TrimSpace(strings.TrimPrefix(t, notice))
		} else {
			d.sections[len(d.sections)-1].body = t
		}
		body = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		switch h, isSection := strings.CutPrefix(line, "## "); {
		case isSection && !fenced:
			flush()
			d.sections = append(d.sections, section{title: h})
		case d.title == "" && !fenced && strings.HasPrefix(line, "# "):
			d.title = strings.TrimPrefix(line, "# ")
		default:
			body = append(body, line)
		}
	}
	flush()
	return d
}

// find returns the section whose title shares a word with what is meant.
func (d *document) find(what string) *section {
	for _, w := range newPhrase(what) {
		k := stem(key(w))
		if len(k) < 2 || modifiers[k] || determiners[k] || prepositions[k] {
			continue
		}
		for i := range d.sections {
			for _, h := range newPhrase(d.sections[i].title) {
				if hk := stem(key(h)); hk == k || aliases[k] == hk {
					return &d.sections[i]
				}
			}
		}
	}
	return nil
}

// aliases are other names that people use for our sections.
var aliases = map[string]string{
	"cta": "call", "button": "call", "subtitle": "subhead", "subheadline": "subhead", "title": "headline", "slogan": "headline",
	"colour": "palette", "color": "palette", "timeline": "milestone", "schedule": "milestone", "step": "milestone",
	"text": "body", "paragraph": "body", "font": "typography", "criteria": "comparison", "table": "comparison",
}

func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// slug makes a lower-case name of ASCII letters and digits.
func slug(text, sep string) string {
	var parts []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r > unicode.MaxASCII || (!unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) {
		parts = append(parts, w)
		if len(parts) == 6 {
			break
		}
	}
	if len(parts) == 0 {
		return "untitled"
	}
	return strings.Join(parts, sep)
}
