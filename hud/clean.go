package hud

import "github.com/go-json-experiment/json/jsontext"

// Clean copies a value without credentials and without what no stored text
// contains. Unlike Bound it cuts nothing: the caller has.
func Clean(v jsontext.Value) jsontext.Value { return scrubbed(v) }

// CleanWithin is Clean for a value that is to be kept as it is or not at all: ok is
// false for what is no JSON, has two names that are or became the same, or is nested
// deeper than depth.
func CleanWithin(v jsontext.Value, depth int) (clean jsontext.Value, ok bool) {
	s := scrubbers.Get().(*scrubber)
	defer s.release()
	if !s.run(v, depth, func(string) {}) {
		return nil, false
	}
	return s.out, true
}
