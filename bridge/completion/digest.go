package completion

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/bullpen-office/bullpen/drive"
)

// Digest identifies a message, or a conversation up to a message.
type Digest [sha256.Size]byte

// Root identifies an empty conversation, by its caller, agent and anything else that tells
// conversations apart.
func Root(names ...string) Digest {
	h := sha256.New()
	for _, name := range names {
		put(h, []byte(name))
	}
	return Digest(h.Sum(nil))
}

// Of identifies a message by its content.
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

// Then returns the digest of the conversation d with more messages.
func (d Digest) Then(list ...drive.Message) Digest {
	for _, m := range list {
		next := Of(m)
		d = sha256.Sum256(append(d[:], next[:]...))
	}
	return d
}

// put separates values by their length.
func put(h hash.Hash, value []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(value)))
	h.Write(n[:])
	h.Write(value)
}
