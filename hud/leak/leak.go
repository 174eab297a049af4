// Package leak finds credentials using gitleaks' public rules: about 200 rules, each for one key
// format.
//
// One pass looks for the first bytes of a credential, or for the name of a service that precedes
// one. A rule's regular expression is tried only there, on a bounded piece of text. The running
// time is therefore linear in the length of the text, and text without such bytes costs a few
// instructions per byte. Expressions are compiled on first use. The package is pure and safe for
// concurrent use. update.sh updates the rules.
package leak

import (
	"strings"
)

// Span is the position of a credential: text[From:To].
type Span struct{ From, To int }

// Find returns the credentials in text, in order and without overlap.
func Find(text string) []Span {
	s := search{index: rules(), text: text}
	s.run()
	return s.found
}

// FindKeys is Find without the rules that depend on a service's name before the value.
func FindKeys(text string) []Span {
	s := search{index: rules(), text: text, keysOnly: true}
	s.run()
	return s.found
}

// search is one pass over the text.
type search struct {
	*index
	text     string
	keysOnly bool // skip rules of kind named
	found    []Span
	seen     map[*rule]int // by rule: position of the last trigger whose surroundings were searched, plus 1
	scanned  int           // number of bytes passed to regular expressions
}

func (s *search) run() {
	text, bits, h := s.text, &s.bits, uint32(0)
	for i := 0; i < len(text); i++ {
		h = (h<<6 | uint32(class[text[i]])) % grams
		if bits[h/64]&(1<<(h%64)) == 0 || i < 2 {
			continue
		}
		if end := s.findAt(i-2, h); end > i {
			i = end - 1
		}
	}
}

// findAt tries every rule with a trigger at i. It returns the end of the credential it found, or i.
func (s *search) findAt(i int, h uint32) (end int) {
	for _, t := range s.buckets[h] {
		if !t.matchesAt(s.text, i) {
			continue
		}
		value := unknown
		for _, r := range t.rules {
			var span Span
			switch r.kind {
			case token:
				span = s.token(r, i)
			case named:
				if s.keysOnly {
					continue
				}
				if value == unknown {
					value = valueAfter(s.text, i+len(t.text))
				}
				if span = s.anchored(r, value); span.To > 0 && r.needsSecretName(s.text[span.From:span.To]) && !s.hasSecretName(i, value) {
					continue
				}
			case near:
				span = s.around(r, i)
			}
			if span.To > span.From && (len(s.found) == 0 || span.From >= s.found[len(s.found)-1].To) {
				s.found = append(s.found, span)
				return span.To
			}
		}
	}
	return i
}

func (t *trigger) matchesAt(text string, i int) bool {
	if len(text)-i < len(t.text) {
		return false
	}
	for j := range len(t.text) {
		b := text[i+j]
		if t.fold && b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != t.text[j] {
			return false
		}
	}
	return true
}

// token returns the credential found by a rule whose trigger is at a fixed offset, or an empty
// span.
func (s *search) token(r *rule, trigger int) Span {
	i := trigger - r.at
	if i < 0 || isWord(s.text[i]) && !startsAt(s.text, i) {
		return Span{}
	}
	return s.anchored(r, i)
}

// limitSecret is the maximum length of a credential in bytes.
const limitSecret = 2048

// limitTries and triesPerByte limit the number of bytes passed to regular expressions: a fixed
// number, plus some for each byte of text. Even a file full of credentials needs only a fraction of
// that. If hostile text exceeds the limit, token and named rules run no more expressions: a rule
// whose whole match is the credential treats every run of allowed bytes as one, and a rule that
// also matches other text is skipped.
const limitTries, triesPerByte = 8 << 10, 2

// reach returns the maximum number of bytes that a rule can match at i.
func (s *search) reach(r *rule, i int) int {
	most := limitSecret
	if r.most > 0 {
		most = r.most
	}
	end, limit := i+r.least, min(len(s.text), i+most)
	for end < limit && r.set[s.text[end]] {
		end++
	}
	return end - i
}

// anchored returns the credential that a rule matches at i, or an empty span.
func (s *search) anchored(r *rule, i int) Span {
	if i < 0 || len(s.text)-i < r.least {
		return Span{}
	}
	for j := i; j < i+r.least; j++ {
		if !r.set[s.text[j]] {
			return Span{}
		}
	}
	if r.least == r.most && s.wordContinues(r, i+r.least) {
		return Span{}
	}
	late := s.scanned > limitTries+triesPerByte*i
	if late && r.group > 0 { // most of the match is not the credential
		return Span{}
	}
	piece := s.text[i : i+s.reach(r, i)]
	if late {
		end := i + len(piece)
		for s.wordContinues(r, end) {
			end++
		}
		return Span{i, end}
	}
	s.scanned += len(piece)
	r.compile()
	m := r.match.FindStringSubmatchIndex(piece)
	if m == nil || s.wordContinues(r, i+m[1]) {
		return Span{}
	}
	return r.checked(s.text, i+m[2*r.group], i+m[2*r.group+1])
}

// wordContinues reports whether the word continues after a match that ends at end. If so, the match
// is part of a hash, an id or another name.
func (s *search) wordContinues(r *rule, end int) bool {
	return r.group == 0 && end < len(s.text) && (isWord(s.text[end]) || s.text[end] == '-')
}

// limitNear is the maximum distance between a credential and its trigger.
const limitNear = 256

// around searches for a rule's credential before and after a trigger, unless the rule has already
// searched that area.
func (s *search) around(r *rule, i int) Span {
	if last := s.seen[r]; last > 0 && i-last < limitNear/2 {
		return Span{}
	}
	if s.seen == nil {
		s.seen = map[*rule]int{}
	}
	s.seen[r] = i + 1
	from, to := max(0, i-limitNear), min(len(s.text), i+limitNear)
	if len(s.found) > 0 {
		from = max(from, s.found[len(s.found)-1].To)
	}
	if from >= to || !r.fits(s.text[from:to]) {
		return Span{}
	}
	s.scanned += to - from
	r.compile()
	m := r.match.FindStringSubmatchIndex(s.text[from:to])
	if m == nil {
		return Span{}
	}
	return r.checked(s.text, from+m[2*r.group], from+m[2*r.group+1])
}

// unknown means that the position of a value has not been computed yet.
const unknown = -2

// valueAfter returns the start of the value that belongs to the name around i: after the rest of
// the name, an assignment sign and quotes. It returns -1 if there is no assignment sign.
func valueAfter(t string, i int) int {
	i = skip(t, i, 20, func(b byte) bool { return isWord(b) || b == ' ' || b == '\t' || b == '.' || b == '-' })
	i = skip(t, i, 3, func(b byte) bool { return isSpace(b) || b == '"' || b == '\'' || b == '\\' })
	rest := t[i:min(len(t), i+4)]
	for _, sign := range []string{":::=", "::=", ":=", "=>", "?=", "||", "=", ">", ":", ","} {
		if strings.HasPrefix(rest, sign) {
			return skip(t, i+len(sign), 5, func(b byte) bool { return isSpace(b) || strings.IndexByte("`'\"=\\", b) >= 0 })
		}
	}
	return -1
}

func skip(t string, i, limit int, belongs func(byte) bool) int {
	for n := 0; n < limit && i < len(t) && belongs(t[i]); n++ {
		i++
	}
	return i
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isWord(b byte) bool { return isAlpha(b) || isDigit(b) || b == '_' }
