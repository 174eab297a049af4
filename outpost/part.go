package outpost

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// part is a group of facts that one request carries.
type part struct {
	facts   []contracts.Fact
	encoded []jsontext.Value
	bytes   int
	asks    bool  // the only fact is a question
	err     error // why the part's only fact cannot be encoded
}

// split divides facts into parts, in order. Each question becomes a separate part.
func split(facts []contracts.Fact) (parts []part) {
	for _, f := range facts {
		b, err := contracts.EncodeFact(f)
		_, asks := f.(contracts.AskSeen)
		last := len(parts) - 1
		if last < 0 || asks || err != nil || !parts[last].takes(len(b)) {
			parts = append(parts, part{asks: asks, err: err})
			last++
		}
		p := &parts[last]
		p.facts, p.encoded, p.bytes = append(p.facts, f), append(p.encoded, b), p.bytes+len(b)
	}
	return parts
}

// takes reports whether a fact of the given size can be added.
func (p *part) takes(size int) bool {
	return !p.asks && p.err == nil && len(p.facts) < contracts.LimitFacts && p.bytes+size <= contracts.LimitFactsBytes
}

// refuse returns the refusal as the reply to every fact.
func (p *part) refuse(refusal *contracts.Refusal) []contracts.Reply {
	replies := make([]contracts.Reply, len(p.facts))
	for i := range replies {
		replies[i].Refusal = refusal
	}
	return replies
}
