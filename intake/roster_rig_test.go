package intake_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// rosterRig is a roster for a real office with a real ledger and a fake clock.
type rosterRig struct {
	*intake.Roster
	t      *testing.T
	ledger *sqlite.Ledger
	office *office.Office
	teller contracts.Teller // the node that this roster reports as; zero means the office's own
	stop   func()

	mu   sync.Mutex
	down *contracts.Refusal // returned instead of calling the office
	hang chan struct{}      // the office answers once this channel is closed; nil means immediately
	dead map[int]bool       // processes that are gone, by pid
	skew time.Duration      // how far the roster's clock is ahead
	log  bytes.Buffer
	seen *world.World // the ledger, folded up to the last record read
}

// inTime runs a test with a rig in a synctest bubble, where time advances only while all goroutines
// wait.
func inTime(t *testing.T, test func(t *testing.T, r *rosterRig)) {
	synctest.Test(t, func(t *testing.T) {
		r := openRig(t, filepath.Join(t.TempDir(), "ledger.db"))
		defer func() { r.stop() }()
		test(t, r)
	})
}

// sources has one vendor that keeps asking in its terminal.
var sources = contracts.Sources{{Source: "claude", KeepsAsking: true}}

func openRig(t *testing.T, path string) *rosterRig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	o, err := office.Open(ctx, office.Config{Ledger: l, Watches: []string{"claude", contracts.SourceUI}, Crew: []contracts.AgentProfile{{AgentID: contracts.AgentBD, Name: "Bea", Role: contracts.RoleBD}}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, l, o, "")
	var running sync.WaitGroup
	running.Go(func() { _ = o.Run(ctx) })
	running.Go(func() { _ = r.Run(ctx) })
	r.stop = func() {
		cancel()
		running.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	return r
}

// newRig returns the roster of a node, or of an office without nodes.
func newRig(t *testing.T, l *sqlite.Ledger, o *office.Office, node string) *rosterRig {
	r := &rosterRig{t: t, ledger: l, office: o, dead: map[int]bool{}, seen: world.New(scene.Default())}
	r.Roster = intake.NewRoster(intake.RosterConfig{
		Office: r, Sources: sources, Node: node, State: r.state, Head: l.Head, Now: r.now, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Alive:          func(pid int, _ int64) bool { r.mu.Lock(); defer r.mu.Unlock(); return !r.dead[pid] },
		IsAgentProcess: func(pid int, _ int64) bool { r.mu.Lock(); defer r.mu.Unlock(); return !r.dead[pid] },
	})
	return r
}

func (r *rosterRig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Add(r.skew)
}

// Tell calls the office, unless it is down.
func (r *rosterRig) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	r.mu.Lock()
	down, hang, teller := r.down, r.hang, r.teller
	r.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if down == nil {
		return r.office.TellAs(ctx, teller, facts...)
	}
	replies := make([]contracts.Reply, len(facts))
	for i := range replies {
		replies[i].Refusal = down
	}
	return replies
}

func (r *rosterRig) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// state folds the ledger, so it shows only durable state.
func (r *rosterRig) state() contracts.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		page, err := r.ledger.Read(context.Background(), r.seen.Seq(), 512)
		for i := range page {
			err = errors.Join(err, r.seen.Apply(page[i]))
		}
		if err != nil {
			r.t.Error(err)
		}
		if err != nil || len(page) < 512 {
			return r.seen.Snapshot(time.Now().UnixMilli(), nil, sources)
		}
	}
}

// pass waits for d, and then until nothing more happens.
func (r *rosterRig) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (r *rosterRig) join(p contracts.AgentProfile) {
	r.t.Helper()
	if p.Source == "" {
		p.Source = "claude"
	}
	if err := r.Join(context.Background(), p, intake.Proof{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rosterRig) see(id string, claim status.Claim, call, line string) {
	r.AddEvidence(context.Background(), id, status.Evidence{
		Source: contracts.FromHook, Claim: claim, Call: call, Says: "saw " + string(claim), Line: line, At: r.now().UnixMilli(),
	})
}

// guest returns a guest in the office, or nil if it is not there.
func (r *rosterRig) guest(id string) *contracts.Agent {
	agents := r.state().Agents
	i := slices.IndexFunc(agents, func(a contracts.Agent) bool { return a.AgentID == id })
	if i < 0 {
		return nil
	}
	return &agents[i]
}

// expect checks the recorded activity of a guest and returns the guest.
func (r *rosterRig) expect(id string, want contracts.Activity) *contracts.Agent {
	r.t.Helper()
	a := r.guest(id)
	if a == nil {
		r.t.Fatalf("%s is not in the office", id)
	}
	if a.Activity != want {
		r.t.Errorf("%s is recorded as %s (%s), want %s", id, a.Activity, a.Why, want)
	}
	return a
}

// events returns the events in the ledger that have this name.
func (r *rosterRig) events(name contracts.EventName) (found []contracts.Event) {
	r.t.Helper()
	for after := uint64(0); ; {
		page, err := r.ledger.Read(context.Background(), after, 512, contracts.KindEvent)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, rec := range page {
			after = rec.Seq
			body, err := rec.Decode()
			if err != nil {
				r.t.Fatal(err)
			}
			if e := body.(*contracts.Event); e.Name == name {
				found = append(found, *e)
			}
		}
		if len(page) < 512 {
			return found
		}
	}
}
