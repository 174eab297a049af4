package office

import "github.com/bullpen-office/bullpen/contracts"

// refusals remembers refused commands, so that the same id gets the same answer. It forgets all of
// them on restart, and the oldest when there are too many: a refused command changed nothing, so
// deciding it again is safe.
type refusals struct {
	byKey map[string]refused
	order []string
	next  int
}

type refused struct {
	fingerprint string
	refusal     *contracts.Refusal
}

func newRefusals(limit int) *refusals {
	return &refusals{byKey: map[string]refused{}, order: make([]string, limit)}
}

func (r *refusals) remember(key string, was refused) {
	delete(r.byKey, r.order[r.next])
	r.order[r.next] = key
	r.next = (r.next + 1) % len(r.order)
	r.byKey[key] = was
}

func (r *refusals) find(key string) (was refused, ok bool) {
	was, ok = r.byKey[key]
	return was, ok
}
