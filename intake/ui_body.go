package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// readBody returns a whole body without its byte order mark. If it fails, it responds with an error
// and returns false. It never parses the body as a form, because curl, wget and urllib label
// every body as a form by default.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, contracts.LimitBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		gate.Answer(w, http.StatusRequestEntityTooLarge, contracts.RefuseField("body", "the body exceeds %d bytes; send less per request", contracts.LimitBody))
		return nil, false
	}
	if err != nil {
		refuse(w, contracts.RefuseField("body", "the body is incomplete; send it again"))
		return nil, false
	}
	return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), true
}

// payloadOf decodes a body: as JSON if the content type says so, or if the body starts like JSON
// and is valid; otherwise as text.
func payloadOf(body []byte, contentType string) (jsontext.Value, *contracts.Refusal) {
	trimmed := bytes.TrimSpace(body)
	says := isJSON(contentType)
	if says || len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		err := oneValue(trimmed)
		if err == nil {
			return trimmed, nil
		}
		if says {
			return nil, refuseJSON(trimmed, place{}, err)
		}
	}
	return asText(body), nil
}

// asText returns text as a JSON string, with invalid UTF-8 replaced.
func asText(text []byte) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, bytes.ToValidUTF8(text, []byte("\uFFFD")))
	return b
}

func mediaType(contentType string) string {
	if contentType == "application/json" { // the common case
		return contentType
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return strings.TrimSpace(kind)
}

func isJSON(contentType string) bool {
	kind := mediaType(contentType)
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

// oneValue returns an error unless text is exactly one JSON value.
func oneValue(text []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	if err := dec.SkipValue(); err != nil {
		return err
	}
	if len(bytes.TrimSpace(text[dec.InputOffset():])) > 0 {
		return &jsontext.SyntacticError{ByteOffset: dec.InputOffset(), Err: errors.New("unexpected data after the value")}
	}
	return nil
}

// place is the position of a part in a body: how many lines and bytes precede it.
type place struct{ line, byte int }

// refuseJSON returns a refusal that gives the position at which a part of a body is not valid JSON.
func refuseJSON(part []byte, from place, err error) *contracts.Refusal {
	at := len(part)
	why := "unexpected end"
	if syntax := new(jsontext.SyntacticError); errors.As(err, &syntax) {
		at = min(int(syntax.ByteOffset), at)
		if !errors.Is(err, io.ErrUnexpectedEOF) && syntax.Err != nil {
			why = syntax.Err.Error()
		}
	}
	before := part[:at]
	line := from.line + bytes.Count(before, []byte("\n")) + 1
	column := at - bytes.LastIndexByte(before, '\n')
	return contracts.RefuseField("body", "%s", fmt.Sprintf("the body is not valid JSON at line %d, column %d (byte %d): %s", line, column, from.byte+at, contracts.CleanLine(why)))
}
