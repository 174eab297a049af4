package completion

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// pictures are the supported image types.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Content decodes the content of a message: a string, or a list of parts. part decodes one part of
// a list, by its type.
func Content(at string, raw jsontext.Value, part func(at, kind string, raw jsontext.Value) (list []drive.Part, ignored []string, bad *Error)) (list []drive.Part, ignored []string, bad *Error) {
	switch raw.Kind() {
	case 0, 'n':
		return nil, nil, nil
	case '"':
		s, _ := textOf(raw)
		return Texts(s), nil, nil
	case '[':
	default:
		return nil, nil, Invalid(at, "The content must be a string or a list of parts.")
	}
	var kinds []struct {
		Type string `json:"type"`
	}
	var raws []jsontext.Value
	for _, into := range []any{&kinds, &raws} {
		if bad := Unmarshal(at, raw, into); bad != nil {
			return nil, nil, bad
		}
	}
	for i, p := range raws {
		parts, more, bad := part(fmt.Sprintf("%s.%d", at, i), kinds[i].Type, p)
		if bad != nil {
			return nil, nil, bad
		}
		list, ignored = append(list, parts...), append(ignored, more...)
	}
	return list, ignored, nil
}

// Unmarshal decodes part of a request. at is the location of that part, for the error.
func Unmarshal(at string, raw jsontext.Value, into any) *Error {
	if err := json.Unmarshal(raw, into); err != nil {
		member, why := contracts.ExplainJSONError(err)
		return Invalid(strings.TrimSuffix(at+"."+member, "."), "The value cannot be decoded: %s.", why)
	}
	return nil
}

// UnknownPart returns the error for a part of an unknown type. supported lists the types that a
// part may have.
func UnknownPart(at, kind, supported string) *Error {
	return Invalid(at, "A part must have the type %s, not %q.", supported, contracts.Clip(contracts.CleanLine(kind), contracts.LimitName))
}

// CheckRole returns an error if a message has a role that is not in roles.
func CheckRole(at, role string, roles ...string) *Error {
	if !slices.Contains(roles, role) {
		return Invalid(at+".role", "The role must be one of %s.", strings.Join(roles, ", "))
	}
	return nil
}

// CheckMembers refuses an object if one of its members would be lost. Null members are accepted.
// ignored lists the object's members that are in ignorable. If ignorable is not nil, as for answers
// that clients send back, empty and false members are accepted too.
func CheckMembers(at string, raw jsontext.Value, known, ignorable []string) (ignored []string, bad *Error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, nil // not an object; decoding reports that
	}
	for _, name := range sorted(members) {
		value := members[name]
		switch {
		case slices.Contains(known, name), value.Kind() == 'n', ignorable != nil && (IsEmpty(value) || IsFalse(value)):
		case slices.Contains(ignorable, name):
			ignored = append(ignored, name)
		default:
			return nil, &Error{Param: at + "." + name, Code: "unknown_parameter", Message: fmt.Sprintf("Unknown field %s in %s. Remove it.", name, at)}
		}
	}
	return ignored, nil
}

// PictureURL decodes an image from a data: URL. Other URLs are refused: the office does not fetch
// anything for callers.
func PictureURL(at, url string) (*drive.Image, *Error) {
	head, data, ok := strings.Cut(url, ",")
	mime, encoded := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	switch {
	case !strings.HasPrefix(url, "data:"):
		return nil, Invalid(at, "The office does not fetch URLs: send the image itself as data:image/png;base64,….")
	case !ok || !encoded:
		return nil, Invalid(at, "The image must be a base64 data URL: data:image/png;base64,….")
	}
	return Picture(at, mime, data)
}

// Picture decodes a base64 image from a request.
func Picture(at, mime, data string) (*drive.Image, *Error) {
	if !slices.Contains(pictures, mime) {
		return nil, Invalid(at, "The image type must be one of %s.", strings.Join(pictures, ", "))
	}
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(bytes) == 0 {
		return nil, Invalid(at, "The image is not valid base64.")
	}
	return &drive.Image{MIME: mime, Data: bytes}, nil
}
