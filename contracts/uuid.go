package contracts

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// DerivedUUID returns an id derived from parts: the same parts give the same id, so that a fact is
// recorded only once, even if it is observed twice or produced again on replay. The id looks like a
// random UUID, because clients of the HUD protocol expect one.
func DerivedUUID(parts ...string) string {
	text := make([]byte, 0, 256)
	for _, p := range parts {
		text = strconv.AppendInt(text, int64(len(p)), 10)
		text = append(text, ':')
		text = append(text, p...)
	}
	u := sha256.Sum256(text)
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	var out [36]byte
	at := 0
	for _, group := range [][]byte{u[0:4], u[4:6], u[6:8], u[8:10], u[10:16]} {
		if at > 0 {
			out[at] = '-'
			at++
		}
		at += hex.Encode(out[at:], group)
	}
	return string(out[:])
}
