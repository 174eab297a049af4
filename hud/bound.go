package hud

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// limitValue is the maximum size of an inlined value. It leaves room for escapes, which may double
// the length of a string, and for other members.
const limitValue = 2*contracts.LimitHUDInline + 4<<10

// Bound prepares a value for a record: it removes credentials and characters that stored text must
// not contain, and truncates a value that is too large. A truncated value has the member
// "truncated" and, in "bytes", the original size of the truncated part.
func Bound(v jsontext.Value) jsontext.Value {
	part, _ := inlined(scrubbed(v))
	return part
}

// Split returns inline, the part of a result that is recorded with its fact. If the result does not
// fit, inline refers to whole, the content to store next to the ledger; otherwise whole is nil. whole
// is visibly truncated at LimitHUDResult. It includes the fact's id, so that no two facts share
// content and the content can be removed with its fact.
func Split(uuid string, result jsontext.Value) (inline, whole jsontext.Value) {
	return split(uuid, scrubbed(result))
}

// split is Split for a value that is already clean.
func split(uuid string, result jsontext.Value) (inline, whole jsontext.Value) {
	inline, cut := inlined(result)
	if !cut {
		return inline, nil
	}
	if list, ok := membersOf(inline); ok { // a truncated value is an object
		inline = list.set("ref", Value(contracts.HUDResultPath(uuid))).encode()
	}
	kept := members{{"id", Value(uuid)}, {"result", nil}}
	room := contracts.LimitHUDResult - len(kept.encode())
	if len(result) > room {
		result, _ = fitted(result, room, contracts.LimitHUDResult/2-contracts.LimitHUDInline, contracts.LimitHUDInline, 1<<10)
	}
	kept[1].value = result
	return inline, kept.encode()
}

func contentName(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func inlined(v jsontext.Value) (part jsontext.Value, cut bool) {
	if len(v) <= contracts.LimitHUDInline {
		return v, false
	}
	return fitted(v, limitValue, contracts.LimitHUDInline, 2<<10, 256)
}

// fitted truncates the strings in a clean value so that the value fits into room bytes. It uses the
// first of the limits that is low enough; if none is, it calls abridged. cut is false if nothing had
// to be truncated.
func fitted(v jsontext.Value, room int, limits ...int) (part jsontext.Value, cut bool) {
	const marks = 128 // room for the members that mark the cut
	for _, limit := range limits {
		clipped, lost := clip(v, room, limit)
		if lost == 0 && len(v) <= room {
			return v, false
		}
		if clipped != nil && lost > 0 && len(clipped) <= room-marks {
			return markCut(clipped, lost), true
		}
	}
	return abridged(v, room-marks), true
}

// markCut adds "truncated" and, unless present, "bytes" to a value. A value that is not an object
// becomes the member "raw".
func markCut(v jsontext.Value, bytes int) jsontext.Value {
	list, ok := membersOf(v)
	if !ok {
		list = members{{"raw", v}}
	}
	if list.find("bytes") < 0 {
		list = append(list, member{"bytes", Value(bytes)})
	}
	return list.set("truncated", jsontext.Value("true")).encode()
}

// abridged shortens a value that has too many members or elements: it keeps the small members and,
// as text, the start of the whole value.
func abridged(v jsontext.Value, room int) jsontext.Value {
	const small, most = 512, 16
	list, _ := membersOf(v)
	var kept members
	for _, m := range list {
		if len(m.name)+len(m.value) <= small && len(kept) < most {
			kept = append(kept, m)
		}
	}
	text := Cut(string(v), max(0, (room-2*small*most)/2)) // quoting at most doubles the length
	return markCut(kept.set("text", Value(text+"…")).encode(), len(v))
}

// clip copies a clean value with its strings cut at limit bytes; lost is the total original size of
// the cut strings. clipped is nil if the copy exceeds room or if cutting made two names equal.
func clip(v jsontext.Value, room, limit int) (clipped jsontext.Value, lost int) {
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewBuffer(v)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), lost
		}
		if err == nil && token.Kind() == '"' {
			if text := token.String(); len(text) > limit {
				const ellipsis = "…"
				lost += len(text)
				token = jsontext.String(Cut(text, limit-len(ellipsis)) + ellipsis)
			}
		}
		if err == nil {
			err = enc.WriteToken(token)
		}
		if err != nil || enc.OutputOffset() > int64(room) { // an error: two long names became equal
			return nil, max(lost, 1)
		}
	}
}
