package rehearsal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
)

// brief is what the crew understands of a request.
type brief struct {
	text        string // the request on one line
	subject     string // what it is about, in the user's words
	shared      bool   // the subject belongs to every deliverable
	items       []item // the deliverables that it names
	names       []string
	tone        string
	length      string
	audience    string
	language    string
	form        string
	constraints []constraint
	decisions   []contracts.Decision // answered questions of the task
	emphasis    string               // an answer that is none of the above
}

// item is one deliverable.
type item struct {
	phrase phrase
	kind   contracts.TaskKind
}

// constraint is a key and value that came with the request.
type constraint struct{ key, value string }

var goToMarket = regexp.MustCompile(`(?i)\bgo to market\b`)

// limitQuote is how much of a request is quoted in a title.
const limitQuote = 60

func newBrief(p contracts.Project) brief {
	text := p.Request
	if strings.TrimSpace(text) == "" {
		text = p.Title
	}
	text = goToMarket.ReplaceAllString(text, "go-to-market") // or its "to" would end the phrase
	b := brief{text: oneLine(text)}
	for k, v := range p.Constraints {
		if value := plainValue(v); value != "" {
			b.constraints = append(b.constraints, constraint{oneLine(strings.ToLower(k)), value})
		}
	}
	slices.SortFunc(b.constraints, func(x, y constraint) int { return strings.Compare(x.key, y.key) })
	b.items = itemsOf(text)
	b.readWords()
	b.readConstraints()
	b.subject = b.findSubject()
	b.names = namesIn(b.text)
	return b
}

func plainValue(v any) string {
	switch v := v.(type) {
	case string:
		return oneLine(v)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, plainValue(e))
		}
		return strings.Join(parts, ", ")
	}
	return oneLine(fmt.Sprint(v))
}

// oneLine keeps text from outside from becoming headings or lists of ours.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// readWords takes tone, length, language, form and audience from the request.
func (b *brief) readWords() {
	p := newPhrase(b.text)
	for i, w := range p {
		k := key(w)
		if b.tone == "" && toneWords[k] {
			b.tone = k
		}
		if b.length == "" && lengthWords[k] != "" && !isHead(p, i) {
			b.length = lengthWords[k]
		}
		if l, ok := languageWords[k]; ok && b.language == "" && languageHere(p, i) {
			b.language = l
		}
		if f, ok := singular(formWords, k); ok && b.form == "" {
			b.form = f
		}
		if b.audience == "" && (k == "for" || k == "targeting" || k == "to") {
			b.audience = audienceAt(p[i+1:])
		}
		if b.length == "" && k == "words" && i > 0 && isNumber(p[i-1]) {
			b.length = key(p[i-1]) + " words"
		}
	}
}

// isHead says that the word is a deliverable itself: "design brief".
func isHead(p phrase, i int) bool {
	_, noun := nounKinds[key(p[i])]
	if !noun || i == 0 {
		return false
	}
	prev := key(p[i-1])
	return !determiners[prev] || i == len(p)-1 || prepositions[key(p[i+1])]
}

// languageHere keeps "go to market" from being about Go.
func languageHere(p phrase, i int) bool {
	if key(p[i]) != "go" {
		return true
	}
	if i+1 < len(p) && (prepositions[key(p[i+1])] || strings.HasPrefix(key(p[i+1]), "live")) {
		return false
	}
	return p[i] != "go" || (i > 0 && (key(p[i-1]) == "in" || key(p[i-1]) == "a"))
}

func isNumber(w string) bool {
	return key(w) != "" && strings.IndexFunc(key(w), func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// audienceAt reads people at the start of a phrase: "busy parents of toddlers".
func audienceAt(p phrase) string {
	core, _ := p.core()
	for i, w := range core {
		if i > 3 {
			break
		}
		if _, ok := singular(peopleWords, key(w)); ok {
			return manyOf(newPhrase(trimPunct(core[:i+1].String())))
		}
		if strings.ContainsAny(w, ",.;:+") {
			break
		}
	}
	return ""
}

// manyOf makes "a small team" small teams, so that a sentence can speak of them.
func manyOf(p phrase) string {
	if k := key(p[0]); len(p) < 2 || (k != "a" && k != "an") {
		return p.String()
	}
	s := p[1:].String()
	switch {
	case strings.HasSuffix(s, "child"):
		return s + "ren"
	case strings.HasSuffix(s, "y"):
		return strings.TrimSuffix(s, "y") + "ies"
	case strings.HasSuffix(s, "s"):
		return s + "es"
	}
	return s + "s"
}

// readConstraints lets what was said apart from the text win over the text.
func (b *brief) readConstraints() {
	for _, c := range b.constraints {
		switch c.key {
		case "tone", "voice", "mood":
			b.tone = c.value
		case "length", "size":
			b.length = c.value
		case "audience", "target", "target_audience":
			b.audience = c.value
		case "language", "stack", "framework":
			if l, ok := languageWords[strings.ToLower(c.value)]; ok {
				b.language = l
			}
		}
	}
}

// namesIn lists what the request names with a capital in mid-sentence.
func namesIn(text string) []string {
	var out []string
	p := newPhrase(text)
	for i, w := range p {
		r := []rune(trimPunct(w))
		if i == 0 || len(r) < 2 || !unicode.IsUpper(r[0]) || strings.ContainsAny(p[i-1][len(p[i-1])-1:], ".!?:") {
			continue
		}
		name := string(r)
		if _, lang := languageWords[strings.ToLower(name)]; lang || name == strings.ToUpper(name) || slices.Contains(out, name) {
			continue
		}
		out = append(out, name)
	}
	return out
}

func trimPunct(s string) string { return strings.Trim(s, " \t,.;:!?\"'“”()[]+&-") }

// title starts a text with a capital.
func title(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}
