package completion

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/bullpen-office/bullpen/drive"
)

// Digest identifies a message, or a conversation up to a message.
type Digest [sha256.Size]byte

// Root returns the digest of an empty conversation. names are its caller, its agent and any other
// names that distinguish conversations.
func Root(names ...string) Digest {
	h := sha256.New()
	for _, name := range names {
		put(h, []byte(name))
	}
	return Digest(h.Sum(nil))
}

// Of returns the digest of a message's role, names, tool calls and parts.
func Of(m drive.Message) Digest {
	h := sha256.New()
	put(h, []byte(m.Role))
	put(h, []byte(m.Name))
	put(h, []byte(m.CallID))
	put(h, m.Calls)
	for _, p := range m.Parts {
		if p.Image == nil {
			put(h, []byte("text"))
			put(h, []byte(p.Text))
			continue
		}
		put(h, []byte(p.Image.MIME))
		put(h, []byte(p.Image.Detail))
		put(h, p.Image.Data)
	}
	return Digest(h.Sum(nil))
}

// Then returns the digest of the conversation with the messages in list appended.
func (d Digest) Then(list ...drive.Message) Digest {
	for _, m := range list {
		next := Of(m)
		d = sha256.Sum256(append(d[:], next[:]...))
	}
	return d
}

// put hashes a value with its length, so that adjacent values cannot be confused.
func put(h hash.Hash, value []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(value)))
	h.Write(n[:])
	h.Write(value)
}
