//go:build !antithesis

package invariant

// On reports whether assertions are compiled in. Call the other functions only if it is true.
const On = false

// Appended asserts that a successful append is in the ledger.
func Appended(last, head uint64) {}

// Acknowledged asserts that a command is acknowledged only after its records are in the ledger.
func Acknowledged(seq, head uint64) {}

// Resolved records that the unknown outcome of an append has become known.
func Resolved(happened bool) {}

// Followed asserts that the view receives records in order.
func Followed(before, seq uint64) {}

// Framed asserts that every record sent to viewers is in the ledger.
func Framed(seq, head uint64) {}
