package contracts

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// readTree decodes exactly one JSON object into maps, slices, strings, float64, bool and nil. It
// rejects input that two parsers could read differently (duplicate members, invalid UTF-8, numbers
// that do not fit in a float64) and input that is nested too deeply or has too many members.
func readTree(raw []byte) (map[string]any, *Refusal) {
	if len(raw) > LimitFrame {
		return nil, Refuse(CodeValidationFailed, "message is %d bytes (limit %d)", len(raw), LimitFrame)
	}
	if !utf8.Valid(raw) {
		return nil, Refuse(CodeValidationFailed, "message is not valid UTF-8")
	}
	t := treeReader{dec: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	v, r := t.value(0)
	if r != nil {
		return nil, r
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, Refuse(CodeValidationFailed, "message must be a single JSON object")
	}
	if _, err := t.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, Refuse(CodeValidationFailed, "message must be a single JSON object with nothing after it")
	}
	return object, nil
}

type treeReader struct{ dec *jsontext.Decoder }

func (t *treeReader) value(depth int) (any, *Refusal) {
	tok, err := t.dec.ReadToken()
	if err != nil {
		return nil, t.broken(err)
	}
	switch tok.Kind() {
	case '{':
		return t.object(depth + 1)
	case '[':
		return t.array(depth + 1)
	case '"':
		return tok.String(), nil
	case '0':
		f, err := strconv.ParseFloat(tok.String(), 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, Refuse(CodeValidationFailed, "message contains a number that is out of range")
		}
		return f, nil
	case 't', 'f':
		return tok.Bool(), nil
	}
	return nil, nil
}

func (t *treeReader) object(depth int) (any, *Refusal) {
	if depth > LimitDepth {
		return nil, tooDeep()
	}
	object := make(map[string]any, 8)
	for t.dec.PeekKind() != '}' {
		if len(object) == LimitMembers {
			return nil, Refuse(CodeValidationFailed, "message contains an object with more than %d members", LimitMembers)
		}
		name, err := t.dec.ReadToken()
		if err != nil {
			return nil, t.broken(err)
		}
		key := name.String() // a token is valid only until the next read
		v, r := t.value(depth)
		if r != nil {
			return nil, r
		}
		object[key] = v
	}
	if _, err := t.dec.ReadToken(); err != nil {
		return nil, t.broken(err)
	}
	return object, nil
}

func (t *treeReader) array(depth int) (any, *Refusal) {
	if depth > LimitDepth {
		return nil, tooDeep()
	}
	array := []any{}
	for t.dec.PeekKind() != ']' {
		v, r := t.value(depth)
		if r != nil {
			return nil, r
		}
		array = append(array, v)
	}
	if _, err := t.dec.ReadToken(); err != nil {
		return nil, t.broken(err)
	}
	return array, nil
}

// broken returns the refusal for a syntax error, without the parser's own message.
func (t *treeReader) broken(err error) *Refusal {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return Refuse(CodeValidationFailed, "message contains an object with a duplicate member")
	}
	return Refuse(CodeValidationFailed, "message is not valid JSON near byte %d", t.dec.InputOffset())
}

func tooDeep() *Refusal {
	return Refuse(CodeValidationFailed, "message is nested deeper than %d levels", LimitDepth)
}

// saneID reports whether s can be a message id: printable, 1 to LimitID bytes long, and not
// UnknownMsgID.
func saneID(s string) bool {
	if s == "" || len(s) > LimitID || s == UnknownMsgID || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// readableID returns the id of a refused message, so that the client learns which message was
// refused. It returns UnknownMsgID if there is no readable id, or if there are two different ids.
func readableID(raw []byte) string {
	found := UnknownMsgID
	if len(raw) > LimitFrame || !utf8.Valid(raw) {
		return found
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return found
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return found
		}
		if name.String() != "id" || dec.PeekKind() != '"' {
			if dec.SkipValue() != nil {
				return found
			}
			continue
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return found
		}
		id := tok.String()
		if !saneID(id) || found != UnknownMsgID && found != id {
			return UnknownMsgID
		}
		found = id
	}
	return found
}
