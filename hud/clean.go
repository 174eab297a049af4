package hud

import "github.com/go-json-experiment/json/jsontext"

// Clean copies a value without credentials and without what no stored text
// contains. Unlike Bound it cuts nothing: the caller has.
func Clean(v jsontext.Value) jsontext.Value { return scrubbed(v) }
