//go:build antithesis

package invariant

import "github.com/antithesishq/antithesis-sdk-go/assert"

// On reports whether assertions are compiled in. Call the other functions only if it is true.
const On = true

// Appended asserts that a successful append is in the ledger.
func Appended(last, head uint64) {
	assert.Always(last <= head, "an append that succeeded is in the ledger", details{"last": last, "head": head})
}

// Acknowledged asserts that a command is acknowledged only after its records are in the ledger.
func Acknowledged(seq, head uint64) {
	assert.Always(seq <= head, "an acknowledged command is in the ledger", details{"seq": seq, "head": head})
}

// Resolved records that the unknown outcome of an append has become known.
func Resolved(happened bool) {
	assert.Sometimes(happened, "an append took effect although its answer was lost", nil)
	assert.Sometimes(!happened, "an append did not take effect and its answer was lost", nil)
}

// Followed asserts that the view receives records in order.
func Followed(before, seq uint64) {
	assert.Always(before < seq, "the view receives records in order", details{"before": before, "seq": seq})
}

// Framed asserts that every record sent to viewers is in the ledger.
func Framed(seq, head uint64) {
	assert.Always(seq <= head, "a record sent to viewers is in the ledger", details{"seq": seq, "head": head})
}

type details = map[string]any
