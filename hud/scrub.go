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

// scrubbed returns a copy of v without credentials and without characters that stored text must not
// contain; numbers and the order of members are preserved. Invalid JSON, or an object with two
// names that became equal, is returned as text.
func scrubbed(v jsontext.Value) jsontext.Value { return scrub(v, func(string) {}) }

// scrub is like scrubbed, but also passes each removed credential to taken.
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

// run scrubs a value into out. It returns false for invalid JSON, for duplicate names before or
// after scrubbing, and for nesting deeper than depth.
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

// scrubber copies a value without credentials. It tracks its position in the value, because a
// member's name decides whether its value is a credential.
type scrubber struct {
	tokens  jsontext.Decoder
	source  bytes.Buffer // the text that the decoder reads
	in      []byte
	read    int    // bytes of in that have been read
	text    string // the input as a string; set when a substring of it is first needed
	out     []byte
	taken   func(credential string)
	around  []frame
	objects int          // number of objects started so far
	pairs   map[int]bool // numbers of the objects whose "value" is a credential
	renamed bool         // a name was changed, so it may now equal another
}

// scrubbers are pooled, so that decoders can reuse the memory that they need to detect duplicate
// names.
var scrubbers = sync.Pool{New: func() any { return &scrubber{} }}

func (s *scrubber) begin(v jsontext.Value, taken func(credential string)) {
	s.source = *bytes.NewBuffer(v)
	s.tokens.Reset(&s.source, jsontext.AllowInvalidUTF8(true))
	s.in, s.out, s.taken, s.pairs = v, make([]byte, 0, len(v)+len(Mark)), taken, secretPairs(v)
	s.around, s.read, s.objects, s.renamed = append(s.around[:0], frame{}), 0, 0, false
}

// release drops all references to input and output, and returns s to the pool.
func (s *scrubber) release() {
	s.source = bytes.Buffer{}
	s.tokens.Reset(&s.source)
	clear(s.around[:cap(s.around)])
	s.in, s.text, s.out, s.taken, s.pairs = nil, "", nil, nil, nil
	scrubbers.Put(s)
}

// frame is an object or array that contains the current token.
type frame struct {
	object bool
	begun  bool   // the object or array is not empty
	hidden bool   // everything in the object or array is a credential
	named  bool   // a member's name has been written, but not its value
	last   string // the member's name, or the previous string in an array
	paired bool   // {"value":…,"name":"API_KEY"}: the value is a credential
}

// write appends token t to out, or Mark if t is a credential; end is t's end offset in the input.
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
		// Everything in a list of secrets is a secret; the schema of a password is not.
		hidden := top.hidden || top.object && (holdsSecrets(top.last) || kind == '[' && top.nextIsSecret())
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
			s.out, _ = jsontext.AppendQuote(s.out, text) // clean text is valid UTF-8
		}
	default:
		s.separate(top)
		text := t.String()
		if kind == '0' && top.nextIsSecret() && len(text) >= 4 { // not a count
			text = `"` + Mark + `"`
		}
		top.closeMember("")
		s.out = append(s.out, text...)
	}
}

// separate writes the separator between two tokens.
func (s *scrubber) separate(top *frame) {
	switch {
	case top.named:
		s.out = append(s.out, ':')
	case top.begun:
		s.out = append(s.out, ',')
	}
	top.begun = len(s.around) > 1
}

// string returns the clean text of the token in[from:end]. plain means that the token is printable
// ASCII without escapes, like almost every string.
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

// clean returns a name or a string value without credentials.
func (s *scrubber) clean(top *frame, text string) string {
	if top.object && !top.named {
		top.last, top.named = text, true
		clean := redact(text, s.taken)
		s.renamed = s.renamed || clean != text
		return clean
	}
	secret := text != "" && (top.nextIsSecret() || top.object && strings.EqualFold(top.last, "auth") && isBasic(text))
	top.closeMember(text)
	if secret {
		s.taken(text[schemeOf(text):])
		return Mark
	}
	return redact(text, s.taken)
}

// nextIsSecret reports whether the position of the next value makes it a credential.
func (f *frame) nextIsSecret() bool {
	if f.hidden {
		return true
	}
	if f.object {
		return secretMember(f.last) || f.paired && isOneOf(f.last, pairValues)
	}
	// The argument after --password, or the value after Authorization in a list of headers.
	return strings.HasPrefix(f.last, "--") && secretMember(f.last) || isHeader(f.last)
}

func (f *frame) closeMember(text string) {
	f.named = false
	if !f.object {
		f.last = text
	}
}
