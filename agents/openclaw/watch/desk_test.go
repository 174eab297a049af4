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

// desk is a fake office that records facts and ignores repeated keys.
type desk struct {
	mu   sync.Mutex
	keys map[string]bool
	full int // number of appends that will fail next
	account
	agents.Roster // followers use only the methods that desk implements
	ledger        *sqlite.Ledger
	open          []contracts.Decision // decisions from before the start

	decisions map[string]chan contracts.Decision
}

// account is everything that the desk has recorded so far.
type account struct {
	people    map[string]contracts.AgentProfile
	evidence  []string
	facts     []string
	withdrawn []string
	double    int // number of facts that repeated a known key
}

func (d *desk) told() account {
	d.mu.Lock()
	defer d.mu.Unlock()
	return account{maps.Clone(d.people), slices.Clone(d.evidence), slices.Clone(d.facts), slices.Clone(d.withdrawn), d.double}
}

func (d *desk) decision(id string) chan<- contracts.Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.decisions[id]
}

func (d *desk) Join(_ context.Context, p contracts.AgentProfile, proof intake.Proof) error {
	if !proof.Seen {
		return intake.ErrFull
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.people[p.AgentID] = p
	return nil
}

func (d *desk) Witness(_ context.Context, id string, e status.Evidence) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.evidence = append(d.evidence, fmt.Sprintf("%s %s: %s", id, e.Claim, e.Says))
}

func (d *desk) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	replies := make([]contracts.Reply, len(facts))
	for i, f := range facts {
		if d.full > 0 {
			d.full--
			replies[i].Refusal = contracts.Refuse(contracts.CodeInternal, "no space left")
			continue
		}
		if key := contracts.FactKey(f); key != "" {
			if d.keys[key] {
				d.double++
				replies[i].Duplicate = true
				continue
			}
			d.keys[key] = true
		}
		switch f := f.(type) {
		case contracts.HUDSeen:
			d.facts = append(d.facts, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.HUD.Event, f.HUD.CorrelationID, f.HUD.Subtype))+" "+f.HUD.Label)
		case contracts.UsageSeen:
			d.facts = append(d.facts, "usage "+f.TurnID)
		case contracts.AskSeen:
			id := fmt.Sprintf("dec_%d", len(d.decisions)+1)
			d.decisions[id] = make(chan contracts.Decision, 1)
			replies[i].Result.DecisionID = id
			d.facts = append(d.facts, "ask "+f.Prompt+" "+strings.Join(f.Options, "|"))
		case contracts.AskWithdrawn:
			d.withdrawn = append(d.withdrawn, f.DecisionID+" "+f.Reason)
			d.decisions[f.DecisionID] <- contracts.Decision{DecisionID: f.DecisionID, Status: contracts.DecisionCancelled}
		}
	}
	return replies
}

func (d *desk) Await(ctx context.Context, id string) (contracts.Decision, error) {
	d.mu.Lock()
	c := d.decisions[id]
	d.mu.Unlock()
	select {
	case x := <-c:
		return x, nil
	case <-ctx.Done():
		return contracts.Decision{}, ctx.Err()
	}
}

func (d *desk) PutBlob(ctx context.Context, content []byte) (string, error) {
	return d.ledger.PutBlob(ctx, content)
}

func (d *desk) PublishStream(contracts.StreamDelta) {}

func (d *desk) Open(context.Context, string) (agents.Open, error) {
	return agents.Open{Decisions: d.open}, nil
}

func (d *desk) Orders(ctx context.Context, _ string, fn func(contracts.HUD) error) error {
	return d.ledger.Follow(ctx, d.ledger.Head(), func(recs []contracts.Record) error {
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

func (d *desk) has(prefix string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.facts, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

func (d *desk) witnessed(part string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, e := range d.evidence {
		if strings.Contains(e, part) {
			n++
		}
	}
	return n
}

// follow runs a follower and a fake gateway in virtual time.
func follow(t *testing.T, change func(*fakeGateway, *Config), story func(t *testing.T, g *fakeGateway, d *desk, f *Follower)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := newFake(t)
		d := &desk{account: account{people: map[string]contracts.AgentProfile{}}, keys: map[string]bool{}, decisions: map[string]chan contracts.Decision{}}
		l, err := sqlite.Open(t.Context(), sqlite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		d.ledger = l
		cfg := Config{URL: "ws://127.0.0.1:18789/", Token: "secret", Office: d, Roster: d, Dial: g.dial, Jitter: func() float64 { return 1 }}
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
		story(t, g, d, f)
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

// want appends the record that the director writes when a person stops or resets an agent.
func want(t *testing.T, f *Follower, subtype string) {
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
	if err := f.cfg.Office.(*desk).ledger.Append(t.Context(), ledger.AnySeq, []contracts.Record{rec}); err != nil {
		t.Fatal(err)
	}
	settle()
}
