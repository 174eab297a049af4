package completion

// Finder finds the unnamed conversation that a request continues, by the transcript that the
// request repeats.
//
// A conversation is taken once: a retry, a branch or a second caller with the same transcript finds
// nothing and starts a new one. Conversations with equal transcripts are never taken, because it is
// unclear which of them is meant. The zero value remembers nothing. A Finder is not safe for
// concurrent use.
type Finder struct {
	Limit int // maximum number of digests to remember; if 0, none are remembered

	ends  map[Digest]*end
	order []Digest // oldest first
}

// end is the end of a conversation. It may have several digests, because the text that callers have
// seen depends on whether they streamed the answer.
type end struct {
	conversation string
	gone         bool // taken, or ambiguous
}

// Take returns the conversation that ends with a digest and marks it as taken; ok is false if there
// is none, or if the conversation is already taken or ambiguous.
func (f *Finder) Take(at Digest) (conversation string, ok bool) {
	e := f.ends[at]
	if e == nil || e.gone {
		return "", false
	}
	e.gone = true
	return e.conversation, true
}

// Add records the digests by which Take finds a conversation.
func (f *Finder) Add(conversation string, at ...Digest) {
	if f.ends == nil {
		f.ends = map[Digest]*end{}
	}
	e := &end{conversation: conversation}
	for _, d := range at {
		switch other := f.ends[d]; {
		case other == e:
			continue
		case other != nil:
			other.gone, e.gone = true, true
			continue
		}
		f.ends[d] = e
		f.order = append(f.order, d)
	}
	for len(f.order) > f.Limit {
		delete(f.ends, f.order[0])
		f.order = f.order[1:]
	}
}
