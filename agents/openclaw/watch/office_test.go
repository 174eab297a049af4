package watch

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// fakeOffice is an office in memory that records facts and ignores repeated keys.
type fakeOffice struct {
	mu   sync.Mutex
	keys map[string]bool
	full int // number of appends that will fail next
	account
	agents.Roster // followers use only the methods that fakeOffice implements
	ledger        *sqlite.Ledger
	open          []contracts.Decision // decisions from before the start

	decisions map[string]chan contracts.Decision
}

// account is everything that the fake office has recorded so far.
type account struct {
	people    map[string]contracts.AgentProfile
	evidence  []string
	facts     []string
	withdrawn []string
	double    int // number of facts that repeated a known key
}

func (o *fakeOffice) recorded() account {
	o.mu.Lock()
	defer o.mu.Unlock()
	return account{maps.Clone(o.people), slices.Clone(o.evidence), slices.Clone(o.facts), slices.Clone(o.withdrawn), o.double}
}

func (o *fakeOffice) decision(id string) chan<- contracts.Decision {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.decisions[id]
}

func (o *fakeOffice) Join(_ context.Context, p contracts.AgentProfile, proof intake.Proof) error {
	if !proof.Seen {
		return intake.ErrFull
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.people[p.AgentID] = p
	return nil
}

func (o *fakeOffice) AddEvidence(_ context.Context, id string, e status.Evidence) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.evidence = append(o.evidence, fmt.Sprintf("%s %s: %s", id, e.Claim, e.Says))
}

func (o *fakeOffice) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	o.mu.Lock()
	defer o.mu.Unlock()
	replies := make([]contracts.Reply, len(facts))
	for i, f := range facts {
		if o.full > 0 {
			o.full--
			replies[i].Refusal = contracts.Refuse(contracts.CodeInternal, "no space left")
			continue
		}
		if key := contracts.FactKey(f); key != "" {
			if o.keys[key] {
				o.double++
				replies[i].Duplicate = true
				continue
			}
			o.keys[key] = true
		}
		switch f := f.(type) {
		case contracts.HUDSeen:
			o.facts = append(o.facts, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.HUD.Event, f.HUD.CorrelationID, f.HUD.Subtype))+" "+f.HUD.Label)
		case contracts.UsageSeen:
			o.facts = append(o.facts, "usage "+f.TurnID)
		case contracts.AskSeen:
			id := fmt.Sprintf("dec_%d", len(o.decisions)+1)
			o.decisions[id] = make(chan contracts.Decision, 1)
			replies[i].Result.DecisionID = id
			o.facts = append(o.facts, "ask "+f.Prompt+" "+strings.Join(f.Options, "|"))
		case contracts.AskWithdrawn:
			o.withdrawn = append(o.withdrawn, f.DecisionID+" "+f.Reason)
			o.decisions[f.DecisionID] <- contracts.Decision{DecisionID: f.DecisionID, Status: contracts.DecisionCancelled}
		}
	}
	return replies
}

func (o *fakeOffice) Await(ctx context.Context, id string) (contracts.Decision, error) {
	o.mu.Lock()
	c := o.decisions[id]
	o.mu.Unlock()
	select {
	case x := <-c:
		return x, nil
	case <-ctx.Done():
		return contracts.Decision{}, ctx.Err()
	}
}

func (o *fakeOffice) PutBlob(ctx context.Context, content []byte) (string, error) {
	return o.ledger.PutBlob(ctx, content)
}

func (o *fakeOffice) PublishStream(contracts.StreamDelta) {}

func (o *fakeOffice) SourceState(context.Context, string) (agents.SourceState, error) {
	return agents.SourceState{Decisions: o.open}, nil
}

func (o *fakeOffice) Orders(ctx context.Context, _ string, fn func(contracts.HUD) error) error {
	return o.ledger.Follow(ctx, o.ledger.Head(), func(recs []contracts.Record) error {
		for _, rec := range recs {
			order, ok, err := rec.Order()
			if err == nil && ok {
				err = fn(*order)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *fakeOffice) has(prefix string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.facts, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

func (o *fakeOffice) countEvidence(part string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, e := range o.evidence {
		if strings.Contains(e, part) {
			n++
		}
	}
	return n
}

// follow runs a follower and a fake gateway in virtual time.
func follow(t *testing.T, change func(*fakeGateway, *Config), story func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := newFake(t)
		o := &fakeOffice{account: account{people: map[string]contracts.AgentProfile{}}, keys: map[string]bool{}, decisions: map[string]chan contracts.Decision{}}
		l, err := sqlite.Open(t.Context(), sqlite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		o.ledger = l
		cfg := Config{URL: "ws://127.0.0.1:18789/", Token: "secret", Office: o, Roster: o, Dial: g.dial, Jitter: func() float64 { return 1 }}
		if testing.Verbose() {
			cfg.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
		}
		if change != nil {
			change(g, &cfg)
		}
		f, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- f.Run(ctx) }()
		settle()
		story(t, g, o, f)
		stop()
		g.hang(true)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// settle waits until all goroutines are blocked.
func settle() {
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
}

// appendOrder appends the record that the director writes when a person stops or resets an agent.
func appendOrder(t *testing.T, f *Follower, subtype string) {
	t.Helper()
	appendReceived(t, f, subtype, contracts.OrderKey("u-"+subtype))
}

func appendReceived(t *testing.T, f *Follower, subtype, key string) {
	t.Helper()
	h := contracts.HUD{UUID: "u-" + subtype, Event: contracts.HUDReceived, Subtype: subtype, AgentID: "agent_openclaw_main", Session: "openclaw:agent:main:main"}
	rec, err := contracts.NewRecord(1, 0, key, &h)
	if err != nil {
		t.Fatal(err)
	}
	office := f.cfg.Office.(*fakeOffice)
	if err := office.ledger.Append(t.Context(), ledger.AnySeq, []contracts.Record{rec}); err != nil {
		t.Fatal(err)
	}
	settle()
}
