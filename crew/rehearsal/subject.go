package rehearsal

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// findSubject prefers "about X", then "for X", then the words before the first
// deliverable's noun, then the deliverable itself.
func (b *brief) findSubject() string {
	for _, lead := range []string{"about", "for"} {
		for i, it := range b.items {
			if s := after(it.phrase, lead); s != "" {
				b.shared = i == len(b.items)-1
				return s
			}
		}
		if s := after(untilBreak(newPhrase(b.text)), lead); s != "" {
			b.shared = true
			return s
		}
	}
	if b.foreign() {
		return "“" + hud.Shorten(b.text, limitQuote) + "”"
	}
	for _, it := range b.items {
		core := it.noun()
		k, at, ok := core.head()
		if ok && k != contracts.KindCode {
			if before := core[:at].unmodified(); len(before) > 0 && !before.all(k) {
				b.shared = true
				return trimPunct(before.String())
			}
		}
		if s := trimPunct(core.String()); s != "" {
			return hud.Shorten(s, limitQuote)
		}
	}
	return "“" + hud.Shorten(b.text, limitQuote) + "”"
}

// noun is the deliverable without verb, determiner and what follows it.
func (it item) noun() phrase {
	_, object := it.phrase.trimmed().verb()
	core, _ := object.core()
	return newPhrase(trimPunct(core.bare().String()))
}

// after reads what follows a preposition, unless that is only for whom it is.
func after(p phrase, lead string) string {
	for i, w := range p {
		if key(w) != lead || i+1 >= len(p) || (lead == "for" && audienceAt(p[i+1:]) != "") {
			continue
		}
		core, _ := p[i+1:].core()
		if len(core) > 1 && (key(core[0]) == "a" || key(core[0]) == "an") {
			core = core[1:]
		}
		if s := trimPunct(core.String()); s != "" {
			return hud.Shorten(s, limitQuote)
		}
	}
	return ""
}

// untilBreak ends a phrase at its first comma or other break.
func untilBreak(p phrase) phrase {
	for i, w := range p {
		if strings.ContainsAny(w[len(w)-1:], ",.;:!?") {
			return p[:i+1]
		}
	}
	return p
}

// unmodified leaves out words that describe and do not name.
func (p phrase) unmodified() phrase {
	var out phrase
	for _, w := range p {
		k := key(w)
		_, people := singular(peopleWords, k)
		if languageWords[k] == "" && !toneWords[k] && !modifiers[k] && !numbers[k] && !isNumber(w) && !people {
			out = append(out, w)
		}
	}
	return out
}

// all says whether every word is of the same kind, as in "market analysis".
func (p phrase) all(k contracts.TaskKind) bool {
	for _, w := range p {
		if got, ok := singular(nounKinds, key(w)); !ok || got != k {
			return false
		}
	}
	return true
}

// foreign says that the words around the deliverables are not English.
func (b brief) foreign() bool {
	n := 0
	for _, w := range newPhrase(b.text) {
		if foreignWords[key(w)] {
			n++
		}
		if k := key(w); k == "the" || k == "and" || k == "for" {
			return false
		}
	}
	return n >= 2
}
