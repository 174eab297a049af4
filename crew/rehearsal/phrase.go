package rehearsal

import (
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
)

// phrase is a piece of the request in the user's own words.
type phrase []string

func newPhrase(text string) phrase { return strings.Fields(text) }

func (p phrase) String() string { return strings.Join(p, " ") }

// key is a word as the lexicon knows it.
func key(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// trimmed drops what is polite but says nothing: "could you please", "we need".
func (p phrase) trimmed() phrase {
	for len(p) > 1 && politeWords[key(p[0])] && !determinerBeforeNoun(p) {
		p = p[1:]
	}
	return p
}

// determinerBeforeNoun keeps "our team page" whole, while "our team should" goes.
func determinerBeforeNoun(p phrase) bool {
	return determiners[key(p[0])] && !(len(p) > 1 && politeWords[key(p[1])])
}

// verb splits a leading verb off.
func (p phrase) verb() (string, phrase) {
	if len(p) == 0 {
		return "", p
	}
	v := key(p[0])
	_, strong := strongVerbs[v]
	_, weak := weakVerbs[v]
	if !strong && !weak && !genericVerbs[v] {
		return "", p
	}
	if _, noun := nounKinds[v]; noun && !verbal(p) {
		return "", p // "design brief" and "test plan" start with a noun
	}
	return v, p[1:]
}

// verbal says whether a word that can be a noun is used as a verb here.
func verbal(p phrase) bool {
	if len(p) == 1 {
		return false
	}
	next := key(p[1])
	if determiners[next] || numbers[next] {
		return true
	}
	if prepositions[next] {
		return false
	}
	if !compoundVerbs[key(p[0])] && strongVerbs[key(p[0])] == "" {
		return false
	}
	core, _ := p.core()
	k, noun := singular(nounKinds, key(core[len(core)-1]))
	return !noun || !compoundVerbs[key(p[0])] || k == strongVerbs[key(p[0])]
}

// core is the phrase up to its first preposition, rest what follows.
func (p phrase) core() (core, rest phrase) {
	for i, w := range p {
		if i > 0 && prepositions[key(w)] {
			return p[:i], p[i:]
		}
	}
	return p, nil
}

// bare drops a leading determiner.
func (p phrase) bare() phrase {
	for len(p) > 1 && determiners[key(p[0])] {
		p = p[1:]
	}
	return p
}

// kind tells what the phrase asks for; ok is false when it does not say.
func (p phrase) kind() (contracts.TaskKind, bool) {
	p = p.trimmed()
	verb, object := p.verb()
	if k, ok := strongVerbs[verb]; ok {
		return k, true
	}
	core, rest := object.core()
	if k, _, ok := core.head(); ok {
		return k, true
	}
	if k, ok := weakVerbs[verb]; ok {
		return k, true
	}
	if len(rest) > 1 && (verb != "" || politeWords[key(p[0])]) {
		return rest[1:].kind()
	}
	return "", false
}

// head finds the last word that names a deliverable, and its place.
func (p phrase) head() (contracts.TaskKind, int, bool) {
	for i := len(p) - 1; i >= 0; i-- {
		if k, ok := singular(nounKinds, key(p[i])); ok {
			return k, i, true
		}
	}
	return "", 0, false
}
