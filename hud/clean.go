package hud

import "github.com/go-json-experiment/json/jsontext"

// Clean returns a copy of v without credentials and without the characters that are not allowed in
// stored text. Unlike Bound, it does not truncate the value.
func Clean(v jsontext.Value) jsontext.Value { return scrubbed(v) }

// CleanWithin is like Clean, but for a value that must be kept in full or not at all. ok is false for
// invalid JSON, for duplicate names before or after cleaning, and for nesting deeper than depth.
func CleanWithin(v jsontext.Value, depth int) (clean jsontext.Value, ok bool) {
	s := scrubbers.Get().(*scrubber)
	defer s.release()
	if !s.run(v, depth, func(string) {}) {
		return nil, false
	}
	return s.out, true
}
