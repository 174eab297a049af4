package ui

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// cut replaces a value that is too large or too deep to be stored completely.
type cut struct {
	Truncated bool   `json:"truncated"`
	Bytes     int    `json:"bytes"` // size of the original value
	Text      string `json:"text"`  // start of the original value
}

// boundValue prepares a value for a record: names and strings become clean text; numbers and the order
// of members are preserved. A value that is larger than limit bytes, deeper than LimitDepth or not
// valid JSON is replaced by an object with its original size and the start of its text. It does not
// remove credentials; see hud.Clean.
func boundValue(v jsontext.Value, limit int) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	if len(v) <= limit {
		if clean, err := cleaned(v); err == nil {
			return fitted(v, clean, limit)
		}
	}
	return fitted(v, nil, limit)
}

// fitted returns clean, the clean form of v. If clean is nil or too large, fitted returns a truncated
// replacement. Cleaning can enlarge a value because it expands escapes.
func fitted(v, clean jsontext.Value, limit int) jsontext.Value {
	if clean != nil && len(clean) <= 2*limit {
		return clean
	}
	start := contracts.CleanText(hud.Cut(string(v), limit/2))
	b, _ := json.Marshal(cut{Truncated: true, Bytes: len(v), Text: start}) // clean text can be encoded
	return b
}

var errDeep = errors.New("nested too deeply")

// cleaned copies a value with clean names and strings. It returns an error for invalid JSON, for
// duplicate names, and for nesting deeper than LimitDepth.
func cleaned(v jsontext.Value) (jsontext.Value, error) {
	if err := check(v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(v), lenient...)
	enc := jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		if in.StackDepth() > contracts.LimitDepth {
			return nil, errDeep
		}
		if token.Kind() == '"' {
			token = jsontext.String(contracts.CleanText(token.String()))
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// shown returns any value as text: strings as they are, everything else as JSON with sorted names,
// two spaces of indentation and no unnecessary escapes.
func shown(v jsontext.Value) string {
	if s, ok := str(v); ok {
		return s
	}
	clean, err := cleaned(v)
	if err != nil {
		return contracts.CleanText(string(v))
	}
	// Indentation multiplies the size of a hostile value, so a value that will be truncated is not
	// indented.
	if len(clean) <= contracts.LimitUIRaw {
		_ = clean.Format(jsontext.ReorderRawObjects(true), jsontext.WithIndent("  ")) // on error, clean stays unchanged
	}
	return string(clean)
}

// text is an item's text: at most LimitText bytes, with the original size if it was truncated.
type text struct {
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitzero"`
	Bytes     int    `json:"bytes,omitzero"`
}

func bounded(s string) text {
	if len(s) <= contracts.LimitText {
		return text{Text: s}
	}
	return text{Text: hud.Cut(s, contracts.LimitText), Truncated: true, Bytes: len(s)}
}
