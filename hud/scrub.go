package hud

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// scrubbed copies a value without credentials and without what no stored text
// contains; numbers and the order of members stay as they are. What is no JSON, or
// has two names that became the same, is shown as text.
func scrubbed(v jsontext.Value) jsontext.Value { return scrub(v, func(string) {}) }

// scrub does so and tells what it took out.
func scrub(v jsontext.Value, taken func(credential string)) jsontext.Value {
	if len(v) == 0 {
		return nil
	}
	var out bytes.Buffer
	s := scrubber{out: jsontext.NewEncoder(&out), taken: taken, around: []frame{{}}, pairs: secretPairs(v)}
	in := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true))
	for values := 0; ; {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) && values == 1 {
			return bytes.TrimSpace(out.Bytes())
		}
		if err == nil {
			err = s.write(token)
		}
		if len(s.around) == 1 {
			values++
		}
		if err != nil || values > 1 {
			return raw(redact(contracts.CleanText(string(v)), taken))
		}
	}
}

// scrubber knows where in a value it stands, because a name says what its value
// is.
type scrubber struct {
	out     *jsontext.Encoder
	taken   func(credential string)
	around  []frame
	objects int          // that began
	pairs   map[int]bool // of them, those whose value is a credential
}

// frame is an object or array around a token.
type frame struct {
	object bool
	hidden bool   // everything in it is a credential
	named  bool   // a member's name was written, its value not yet
	last   string // the member's name, or the string before in an array
	paired bool   // {"value":…,"name":"API_KEY"}: the value is a credential
}

func (s *scrubber) write(t jsontext.Token) error {
	top := &s.around[len(s.around)-1]
	switch t.Kind() {
	case '{', '[':
		// What lies in a list of secrets is one; a schema of a password is not.
		hidden := top.hidden || top.object && (holdsSecrets(top.last) || t.Kind() == '[' && top.hides())
		top.closeMember("")
		below := frame{object: t.Kind() == '{', hidden: hidden}
		if below.object {
			below.paired = s.pairs[s.objects]
			s.objects++
		}
		s.around = append(s.around, below)
	case '}', ']':
		s.around = s.around[:len(s.around)-1]
	case '"':
		return s.out.WriteToken(jsontext.String(s.text(top, contracts.CleanText(t.String()))))
	case '0':
		if top.hides() && len(t.String()) >= 4 { // not a count
			t = jsontext.String(Mark)
		}
		top.closeMember("")
	default:
		top.closeMember("")
	}
	return s.out.WriteToken(t)
}

func (s *scrubber) text(top *frame, text string) string {
	if top.object && !top.named {
		top.last, top.named = text, true
		return redact(text, s.taken)
	}
	hides := text != "" && (top.hides() || top.object && strings.EqualFold(top.last, "auth") && isBasic(text))
	top.closeMember(text)
	if hides {
		s.taken(text[schemeOf(text):])
		return Mark
	}
	return redact(text, s.taken)
}

// hides reports whether the value that comes next is a credential by its place.
func (f *frame) hides() bool {
	if f.hidden {
		return true
	}
	if f.object {
		return secretMember(f.last) || f.paired && isOneOf(f.last, pairValues)
	}
	// In a list of arguments, what follows --password; in one of headers, what
	// follows Authorization.
	return strings.HasPrefix(f.last, "--") && secretMember(f.last) || isHeader(f.last)
}

func (f *frame) closeMember(text string) {
	f.named = false
	if !f.object {
		f.last = text
	}
}
