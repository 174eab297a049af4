package rehearsal

import (
	"regexp"
	"strings"
)

var (
	listLine   = regexp.MustCompile(`(?m)^\s*(?:\d{1,2}[.)]|[-*•])\s+(.+)$`)
	listInline = regexp.MustCompile(`(?:^|\s)\(?\d{1,2}[.)]\s+`)
	sentence   = regexp.MustCompile(`[.!?;]+(?:\s+|$)|\n+`)
	separator  = regexp.MustCompile(`(?i)\s*(?:,\s*and\s+|,\s+then\s+|,|\s\+|\+\s|\s&\s|\sand\s+then\s|\sand\s|\splus\s|\sas\s+well\s+as\s|\sthen\s)\s*`)
)

// itemsOf finds the deliverables that a request names, in its order.
func itemsOf(text string) []item {
	if lines := listLine.FindAllStringSubmatch(text, -1); len(lines) >= 2 {
		var out []item
		for _, l := range lines {
			out = append(out, listItem(l[1])...)
		}
		return out
	}
	if marks := listInline.FindAllStringIndex(text, -1); len(marks) >= 2 {
		var out []item
		for i, m := range marks {
			end := len(text)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			out = append(out, listItem(strings.Trim(text[m[1]:end], " ,.;\n"))...)
		}
		return out
	}
	var out []item
	for _, s := range sentence.Split(text, -1) {
		if intro, list, ok := strings.Cut(s, ": "); ok && strings.TrimSpace(list) != "" {
			if _, named := newPhrase(intro).kind(); !named || len(separator.FindAllString(list, -1)) > 0 {
				s = list
			}
		}
		out = append(out, sentenceItems(s)...)
	}
	return out
}

// listItem is one entry of the user's own list; it stays one deliverable.
func listItem(text string) []item {
	p := newPhrase(text)
	if len(p) == 0 {
		return nil
	}
	k, _ := p.kind()
	return []item{{phrase: p, kind: k}}
}

// sentenceItems splits a sentence at commas, plus signs and "and". A part that
// names no deliverable belongs to the one before it.
func sentenceItems(s string) []item {
	var out []item
	start := 0
	cuts := append(separator.FindAllStringIndex(s, -1), []int{len(s), len(s)})
	for _, c := range cuts {
		part := newPhrase(s[start:c[0]])
		if c[0] < len(s) && part.dangles() {
			continue // "a long, playful post" is one deliverable
		}
		glue := start
		start = c[1]
		if len(part) == 0 {
			continue
		}
		k, ok := part.kind()
		switch {
		case ok && !continuesTopic(out, part):
			out = append(out, item{phrase: part, kind: k})
		case len(out) > 0 && !part.constrains():
			last := &out[len(out)-1]
			joiner := strings.TrimSpace(separatorBefore(s, glue))
			last.phrase = newPhrase(join(last.phrase.String(), joiner, part.String()))
		}
	}
	return out
}

// continuesTopic keeps "a post about design and research" one deliverable.
func continuesTopic(out []item, part phrase) bool {
	if len(out) == 0 || len(part) > 2 {
		return false
	}
	for _, w := range out[len(out)-1].phrase {
		if key(w) == "about" {
			return !determiners[key(part[0])] && !numbers[key(part[0])]
		}
	}
	return false
}

// dangles says that the part describes something that is yet to be named.
func (p phrase) dangles() bool {
	_, object := p.trimmed().verb()
	described := false
	for _, w := range object {
		k := key(w)
		if !determiners[k] && !modifiers[k] && !toneWords[k] && !numbers[k] {
			return false
		}
		described = described || modifiers[k] || toneWords[k]
	}
	return described
}

// constrains says that the part only says how: "tone playful", "keep it short".
func (p phrase) constrains() bool {
	for _, w := range p {
		k := key(w)
		if toneWords[k] || lengthWords[k] != "" || k == "tone" || k == "words" {
			return true
		}
	}
	return false
}

func separatorBefore(s string, at int) string {
	for _, c := range separator.FindAllStringIndex(s, -1) {
		if c[1] == at {
			return s[c[0]:c[1]]
		}
	}
	return ""
}

func join(left, joiner, right string) string {
	if strings.HasPrefix(joiner, ",") {
		return left + joiner + " " + right
	}
	return left + " " + joiner + " " + right
}
