package rehearsal

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

var (
	listMark = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)
	fullStop = regexp.MustCompile(`([.!?])\s+`)
)

// shorten cuts one section, or all of them when none is meant.
func (r *revision) shorten(what string) string {
	if s := r.doc.find(what); s != nil {
		was := len(s.body)
		s.body = shortened(s.body)
		return fmt.Sprintf("“%s” was shortened from %d to %d characters.", s.title, was, len(s.body))
	}
	if namesPart(what) {
		return "" // a part that this text does not have
	}
	was := len(r.doc.String())
	for i := range r.doc.sections {
		if r.doc.sections[i].title != "Decisions taken" {
			r.doc.sections[i].body = shortened(r.doc.sections[i].body)
		}
	}
	return fmt.Sprintf("The whole text was shortened from %d to %d characters.", was, len(r.doc.String()))
}

// namesPart says that a wish is about a part rather than about the whole text.
func namesPart(what string) bool {
	whole := words("it everything whole all entire please is be make this too much bit little text document version result half")
	for _, w := range newPhrase(what) {
		k := key(w)
		_, deliverable := singular(nounKinds, k)
		if k != "" && !whole[k] && !determiners[k] && !prepositions[k] && (!deliverable || aliases[stem(k)] != "" || stem(k) == "headline") {
			return true
		}
	}
	return false
}

// shortened keeps about the first half: the first entries of a list, with their
// words cut, and the first sentence of a paragraph. Code and tables stay whole.
func shortened(body string) string {
	if strings.Contains(body, "```") || strings.Contains(body, "|---") {
		return body
	}
	var out []string
	for _, block := range strings.Split(body, "\n\n") {
		ls := strings.Split(block, "\n")
		if !listMark.MatchString(ls[0]) {
			out = append(out, fullStop.Split(block, 2)[0]+ending(block))
			continue
		}
		var kept []string
		for _, l := range ls[:max(1, (len(ls)+1)/2)] {
			kept = append(kept, shortLine(l))
		}
		out = append(out, strings.Join(kept, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// ending is the punctuation of the first sentence.
func ending(block string) string {
	if m := fullStop.FindStringSubmatch(block); m != nil {
		return m[1]
	}
	return ""
}

// shortLine keeps a list entry up to its first break.
func shortLine(l string) string {
	mark := listMark.FindString(l)
	text := strings.TrimPrefix(l, mark)
	for _, sep := range []string{" — ", "; ", ": ", ", "} {
		if head, _, ok := strings.Cut(text, sep); ok && len(newPhrase(head)) >= 2 && !strings.Contains(head, "**") {
			return mark + head
		}
	}
	return l
}

func (r *revision) remove(what string) string {
	s := r.doc.find(what)
	if s == nil {
		return ""
	}
	name := s.title
	for i := range r.doc.sections {
		if &r.doc.sections[i] == s {
			r.doc.sections = append(r.doc.sections[:i], r.doc.sections[i+1:]...)
			return fmt.Sprintf("The section “%s” was removed.", name)
		}
	}
	return ""
}

// rename replaces words. Inside code only an identifier may take the place of
// another, so that the code still parses.
func (r *revision) rename(from, to string) string {
	if from == "" || to == "" {
		return ""
	}
	word := regexp.MustCompile(`(?i)(^|\W)` + regexp.QuoteMeta(from) + `($|\W)`)
	inCode := token.IsIdentifier(from) && token.IsIdentifier(to)
	n := 0
	swap := func(text string) string {
		for range 2 { // neighbours share the character between them
			text = word.ReplaceAllStringFunc(text, func(m string) string {
				n++
				parts := word.FindStringSubmatch(m)
				return parts[1] + to + parts[2]
			})
			if strings.Contains(strings.ToLower(to), strings.ToLower(from)) {
				break // or the new words would be replaced again
			}
		}
		return text
	}
	r.doc.title = swap(r.doc.title)
	for i := range r.doc.sections {
		s := &r.doc.sections[i]
		s.title = swap(s.title)
		if inCode || !strings.Contains(s.body, "```") {
			s.body = swap(s.body)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("“%s” became “%s” in %d place(s).", from, to, n)
}

// voiced are the sections that a tone changes.
var voiced = words("Tone Headlines Subheads Body Mood Palette Calls Subject")

// retone writes the parts that have a voice or a mood anew.
func (r *revision) retone(tone string) string {
	b := r.brief
	b.tone = tone
	fresh := parse(compose(b, r.job, nil).Content)
	changed := 0
	for i := range r.doc.sections {
		for _, s := range fresh.sections {
			if r.doc.sections[i].title == s.title && voiced[newPhrase(s.title)[0]] {
				r.doc.sections[i].body = s.body
				changed++
			}
		}
	}
	if changed == 0 { // a text without a voice
		return ""
	}
	r.brief = b
	return fmt.Sprintf("The tone is %s now; %d sections were written anew.", tone, changed)
}

// more adds entries to a section, or the section itself.
func (r *revision) more(n int, what string) string {
	s := r.doc.find(what)
	if s == nil {
		name := title(trimPunct(what))
		r.doc.add(name, "%s", bullets(r.entries(n, what, "")...))
		return fmt.Sprintf("A new section “%s” was added.", name)
	}
	marker, lines := "- ", strings.Split(s.body, "\n")
	last := lines[len(lines)-1]
	table := strings.HasPrefix(last, "|")
	for i, e := range r.entries(n, s.title, s.body) {
		switch {
		case table:
			e = "| " + cell(e) + strings.Repeat(" | –", max(0, strings.Count(last, "|")-2)) + " |"
		case regexp.MustCompile(`^\d+\. `).MatchString(last):
			e = fmt.Sprintf("%d. %s", len(lines)+i+1, e)
		case strings.Contains(s.body, "\n- ") || strings.HasPrefix(s.body, "- "):
			e = marker + e
		default:
			e = "\n" + marker + e
		}
		s.body += "\n" + e
	}
	return fmt.Sprintf("%d added to “%s”.", n, s.title)
}

// entries makes n lines for a section, none of which is in it already.
func (r *revision) entries(n int, what, body string) []string {
	var out []string
	for _, p := range r.pool(what) {
		if len(out) < n && !strings.Contains(body, p) {
			out = append(out, p)
		}
	}
	for i := 1; len(out) < n; i++ {
		e := fmt.Sprintf("%s %d for %s", title(stem(lowerAction(trimPunct(what)))), i, r.brief.topic())
		if !strings.Contains(body, e) {
			out = append(out, e)
		}
	}
	return out
}

// pool holds more entries of a kind than any first version shows.
func (r *revision) pool(what string) []string {
	v, _, _ := voiceOf(r.brief.tone)
	pools := map[string][]string{
		"headline": v.headlines, "subject": v.headlines, "subhead": v.subheads, "call": v.calls,
		"risk": lines(`Those who decide about {topic} cannot be reached
			Something that {topic} depends on comes late
			Nobody owns {topic} after the hand-over
			The first version is taken for the last`),
		"question": lines(`What happens if we do nothing about {topic}?
			What may {topic} cost?
			Who else has to agree?
			What did earlier attempts teach us?`),
		"milestone": lines(`**Trial.** Three people try {topic} and say what confused them.
			**Mid-way check.** Whatever does not serve {readers} is cut.
			**Feedback.** Every remark about {topic} is answered or becomes a task.`),
	}
	for _, w := range newPhrase(what) {
		k := stem(key(w))
		if alias, ok := aliases[k]; ok {
			k = alias
		}
		if p, ok := pools[k]; ok {
			return r.brief.filled(p)
		}
	}
	return nil
}
