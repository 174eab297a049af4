package contracts

import (
	"crypto/sha256"
	"fmt"
)

// DerivedUUID names a fact after what it is about: the same parts give the same
// id, so a fact that is seen twice, or decided again on a replay, is one fact. It
// has the form of a random UUID, because clients of the HUD feed expect one.
func DerivedUUID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	var u [32]byte
	h.Sum(u[:0])
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
