package outpost

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/repofile"
)

// Office gives the watchers and the roster of this machine access to an office that runs elsewhere.
// Run maintains the connection.
type Office struct {
	link    *link
	spool   *spool
	watches []string
	log     *slog.Logger
	deltas  chan contracts.StreamDelta
	stored  chan struct{} // the spool has a new entry
	renewed func()        // called after a new life has started; set before Run

	mu       sync.Mutex
	life     string
	up       bool // the last request was answered, and the spool was empty at that time
	problem  error
	reasons  []string      // reasons logged since the office was last reached; see cause
	changed  chan struct{} // closed when up changes
	state    contracts.OutpostState
	orders   uint64 // orders after this seq are new
	profiles map[string]contracts.AgentProfile

	repos repofile.Reader
}

var _ agents.Office = (*Office)(nil)

func newOffice(l *link, s *spool, watches []string, log *slog.Logger) *Office {
	return &Office{
		link: l, spool: s, watches: watches, log: log, deltas: make(chan contracts.StreamDelta, contracts.LimitOutpostDeltas), stored: make(chan struct{}, 1),
		renewed: func() {}, changed: make(chan struct{}), profiles: map[string]contracts.AgentProfile{},
	}
}

// Tell reports facts in order. If the office cannot be reached, Tell stores the facts and returns
// replies without a seq. Questions are never stored. Instead, Tell refuses them with the code
// INTERNAL.
func (o *Office) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	replies := make([]contracts.Reply, 0, len(facts))
	for _, p := range split(o.repos.Tighten(facts)) {
		replies = append(replies, o.tell(ctx, p)...)
	}
	return replies
}

func (o *Office) tell(ctx context.Context, p part) []contracts.Reply {
	if p.err != nil {
		return p.refuse(contracts.RefuseField("facts", "%v", p.err))
	}
	e := entry{Key: rand.Text(), Facts: p.encoded}
	if p.asks {
		return o.ask(ctx, p, e)
	}
	o.remember(p.facts)
	if life, ok := o.online(); ok {
		replies, err := o.link.facts(ctx, life, e)
		switch {
		case err == nil && !slices.ContainsFunc(replies, unrecorded):
			return replies
		case rejected(err):
			return p.refuse(contracts.Refuse(contracts.CodeValidationFailed, "%v", err))
		case err != nil:
			o.markOffline(err)
		}
	}
	if err := o.store(e); err != nil {
		return p.refuse(contracts.Refuse(contracts.CodeInternal, "the office cannot be reached, and the report was not stored: %v", err))
	}
	return make([]contracts.Reply, len(p.facts))
}

// unrecorded reports whether the office failed to record a fact, or may have failed.
func unrecorded(r contracts.Reply) bool {
	return r.Refusal != nil && r.Refusal.Code == contracts.CodeInternal
}

// ask reports a question. If the office cannot be reached, ask waits briefly for the connection.
func (o *Office) ask(ctx context.Context, p part, e entry) []contracts.Reply {
	ctx, cancel := context.WithTimeout(ctx, contracts.OutpostAskWait)
	defer cancel()
	life, err := o.awaitOnline(ctx)
	if err != nil {
		return p.refuse(contracts.Refuse(contracts.CodeInternal, "the office cannot be reached; answer in the terminal"))
	}
	replies, err := o.link.facts(ctx, life, e)
	switch {
	case err == nil && !unrecorded(replies[0]):
		return replies
	case err == nil:
		err = replies[0].Refusal
	default:
		o.markOffline(err)
	}
	if !unsent(err) && !rejected(err) && !errors.Is(err, errLifeOver) { // the question may have been asked
		e.Withdraw = true
		if err := o.store(e); err != nil {
			o.log.Warn("question may stay open in the office", "error", err)
		}
	}
	return p.refuse(contracts.Refuse(contracts.CodeInternal, "the question did not reach the office (%v); answer in the terminal", err))
}

// remember keeps the profiles of the outpost's agents.
func (o *Office) remember(facts []contracts.Fact) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range facts {
		switch f := f.(type) {
		case contracts.AgentSeen:
			o.profiles[f.Profile.AgentID] = f.Profile
		case contracts.AgentGone:
			delete(o.profiles, f.AgentID)
		}
	}
}

// store adds an entry to the spool. If the spool is empty, it first adds the profiles of all
// agents, because the office may have removed them by the time the entries are sent.
func (o *Office) store(e entry) error {
	var entries []entry
	if n, _ := o.spool.size(); n == 0 {
		for _, p := range split(o.profileFacts()) {
			entries = append(entries, entry{Key: rand.Text(), Facts: p.encoded})
		}
	}
	if err := o.spool.put(append(entries, e)...); err != nil {
		return err
	}
	select {
	case o.stored <- struct{}{}:
	default:
	}
	return nil
}

// profileFacts returns one fact per agent, with the agent's profile.
func (o *Office) profileFacts() (facts []contracts.Fact) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.profiles {
		facts = append(facts, contracts.AgentSeen{Profile: p})
	}
	return facts
}

// PutBlob stores content in the office, or in the spool if the office cannot be reached.
func (o *Office) PutBlob(ctx context.Context, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	if _, ok := o.online(); ok {
		err := o.link.blob(ctx, content)
		if err == nil || rejected(err) {
			return name, err
		}
		o.markOffline(err)
	}
	return name, o.store(entry{Blob: content})
}

// Await returns a decision once it is resolved or cancelled. While the office is unreachable, Await
// keeps trying until ctx is done.
func (o *Office) Await(ctx context.Context, decisionID string) (contracts.Decision, error) {
	retry := newRetry()
	for {
		d, err := o.link.decision(ctx, decisionID)
		switch {
		case err == nil && d.Status != contracts.DecisionOpen:
			return d, nil
		case err == nil:
			retry.Reset()
			continue
		case isPermanent(err):
			return d, err
		}
		if err := retry.Wait(ctx); err != nil {
			return d, err
		}
	}
}

// PublishStream shows text as it is written. Text that cannot be sent soon is dropped.
func (o *Office) PublishStream(d contracts.StreamDelta) {
	select {
	case o.deltas <- d:
	default:
	}
}

// SourceState returns the outpost's agents that belong to a source, with their open questions and
// turns.
func (o *Office) SourceState(ctx context.Context, source string) (out agents.SourceState, err error) {
	life, _ := o.online()
	state, err := o.link.state(ctx, life)
	if err != nil {
		return out, err
	}
	out.Begun, out.Decisions = state.Begun[source], state.Decisions
	for _, a := range state.Agents {
		if a.Source == source {
			out.Agents = append(out.Agents, a)
		}
	}
	return out, nil
}

// Orders calls fn with each order for the outpost's agents that belong to a source. It skips orders
// that were recorded before the outpost joined.
func (o *Office) Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error {
	o.mu.Lock()
	after := o.orders
	o.mu.Unlock()
	retry := newRetry()
	for {
		page, err := o.link.orders(ctx, source, after)
		if err != nil {
			if err := retry.Wait(ctx); err != nil {
				return err
			}
			continue
		}
		retry.Reset()
		after = page.Seq
		for _, order := range page.Orders {
			order.HUD.UUID = order.ID
			if err := fn(order.HUD); err != nil {
				return err
			}
		}
	}
}

func newRetry() backoff.Backoff {
	return backoff.Backoff{First: contracts.OutpostRetryMin, Max: contracts.OutpostRetryMax}
}
