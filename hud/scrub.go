package hud

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"sync"

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
	s := scrubbers.Get().(*scrubber)
	defer s.release()
	if !s.run(v, math.MaxInt, taken) {
		return raw(redact(contracts.CleanText(string(v)), taken))
	}
	return s.out
}

// run scrubs a value into out. It is false for what is no JSON, has two names that are
// or became the same, or is nested deeper than depth.
func (s *scrubber) run(v jsontext.Value, depth int, taken func(credential string)) bool {
	s.begin(v, taken)
	for values := 0; ; {
		token, err := s.tokens.ReadToken()
		if errors.Is(err, io.EOF) && values == 1 {
			return !s.renamed || jsontext.Value(s.out).IsValid()
		}
		if err != nil || len(s.around) == 1 && values == 1 {
			return false
		}
		s.write(token, int(s.tokens.InputOffset()))
		if len(s.around) == 1 {
			values++
		} else if len(s.around)-1 > depth {
			return false
		}
	}
}

// scrubber knows where in a value it stands, because a name says what its value
// is.
type scrubber struct {
	tokens  jsontext.Decoder
	source  bytes.Buffer // of tokens
	in      []byte
	read    int    // bytes of in
	text    string // in, once a string of it is needed
	out     []byte
	taken   func(credential string)
	around  []frame
	objects int          // that began
	pairs   map[int]bool // of them, those whose value is a credential
	renamed bool         // a name is not as it came: another may be the same now
}

// scrubbers are used again, because what a decoder needs to tell names apart is most
// of what there is to allocate.
var scrubbers = sync.Pool{New: func() any { return &scrubber{} }}

func (s *scrubber) begin(v jsontext.Value, taken func(credential string)) {
	s.source = *bytes.NewBuffer(v)
	s.tokens.Reset(&s.source, jsontext.AllowInvalidUTF8(true))
	s.in, s.out, s.taken, s.pairs = v, make([]byte, 0, len(v)+len(Mark)), taken, secretPairs(v)
	s.around, s.read, s.objects, s.renamed = append(s.around[:0], frame{}), 0, 0, false
}

// release lets go of everything that came in or went out.
func (s *scrubber) release() {
	s.source = bytes.Buffer{}
	s.tokens.Reset(&s.source)
	clear(s.around[:cap(s.around)])
	s.in, s.text, s.out, s.taken, s.pairs = nil, "", nil, nil, nil
	scrubbers.Put(s)
}

// frame is an object or array around a token.
type frame struct {
	object bool
	begun  bool   // there is something in it
	hidden bool   // everything in it is a credential
	named  bool   // a member's name was written, its value not yet
	last   string // the member's name, or the string before in an array
	paired bool   // {"value":…,"name":"API_KEY"}: the value is a credential
}

// write copies the token that ends at end.
func (s *scrubber) write(t jsontext.Token, end int) {
	top := &s.around[len(s.around)-1]
	from := s.read
	s.read = end
	switch kind := t.Kind(); kind {
	case '}', ']':
		s.around = s.around[:len(s.around)-1]
		s.out = append(s.out, byte(kind))
		return
	case '{', '[':
		s.separate(top)
		// What lies in a list of secrets is one; a schema of a password is not.
		hidden := top.hidden || top.object && (holdsSecrets(top.last) || kind == '[' && top.hides())
		top.closeMember("")
		below := frame{object: kind == '{', hidden: hidden}
		if below.object {
			below.paired = s.pairs[s.objects]
			s.objects++
		}
		s.around = append(s.around, below)
		s.out = append(s.out, byte(kind))
	case '"':
		s.separate(top)
		from += bytes.IndexByte(s.in[from:end], '"')
		was, plain := s.string(t, from, end)
		s.renamed = s.renamed || !plain && top.object && !top.named
		if text := s.clean(top, was); plain && text == was {
			s.out = append(s.out, s.in[from:end]...)
		} else {
			s.out, _ = jsontext.AppendQuote(s.out, text) // a clean text is valid UTF-8
		}
	default:
		s.separate(top)
		text := t.String()
		if kind == '0' && top.hides() && len(text) >= 4 { // not a count
			text = `"` + Mark + `"`
		}
		top.closeMember("")
		s.out = append(s.out, text...)
	}
}

// separate writes what stands between two tokens.
func (s *scrubber) separate(top *frame) {
	switch {
	case top.named:
		s.out = append(s.out, ':')
	case top.begun:
		s.out = append(s.out, ',')
	}
	top.begun = len(s.around) > 1
}

// string is the clean text of a token that is in[from:end]. Plain says that it is
// written as it is between its quotes: nearly every string.
func (s *scrubber) string(t jsontext.Token, from, end int) (text string, plain bool) {
	for _, b := range s.in[from+1 : end-1] {
		if b < ' ' || b > '~' || b == '\\' {
			return contracts.CleanText(t.String()), false
		}
	}
	if s.text == "" {
		s.text = string(s.in)
	}
	return s.text[from+1 : end-1], true
}

// clean takes credentials out of a name or a string.
func (s *scrubber) clean(top *frame, text string) string {
	if top.object && !top.named {
		top.last, top.named = text, true
		clean := redact(text, s.taken)
		s.renamed = s.renamed || clean != text
		return clean
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
