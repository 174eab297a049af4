package view_test

import (
	"context"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// rig is a view of a real office on a real ledger.
type rig struct {
	*view.View
	t      *testing.T
	ledger *sqlite.Ledger
	office *office.Office
	run    func() // runs the view
	stop   func() // stops everything
}

// newRig runs the office; the test itself starts the view.
func newRig(t *testing.T) *rig {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := office.Open(t.Context(), office.Config{Ledger: l, Watches: []string{"claude"}, Crew: []contracts.AgentProfile{
		{AgentID: contracts.AgentBD, Name: "Robin", Role: contracts.RoleBD},
		{AgentID: "agent_eng", Name: "Kim", Role: contracts.RoleEngineer},
	}, Director: director.Config{Sources: contracts.Sources{{Source: contracts.SourceBridge, Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession, contracts.CmdKillAgent, contracts.CmdChat}}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, ledger: l, office: o, View: newView(t, l, o)}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	start := func(name string, run func(context.Context) error) {
		wg.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	start("the office", o.Run)
	r.run = sync.OnceFunc(func() { start("the view", r.Run) })
	r.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		l.Close()
	})
	t.Cleanup(r.stop)
	return r
}

// newView returns a view of an office that is not running yet.
func newView(t *testing.T, l *sqlite.Ledger, o *office.Office) *view.View {
	t.Helper()
	replica, err := o.Replica()
	if err != nil {
		t.Fatal(err)
	}
	return view.New(view.Config{
		Ledger: l, World: replica, Node: "local", Now: o.Clock().Now, Players: o.Players,
		Load: func(ctx context.Context, upTo uint64) (*world.World, error) {
			return office.LoadUpTo(ctx, l, scene.Default(), upTo)
		},
	})
}

// again returns the same office with a new view.
func (r *rig) again() *rig {
	r.t.Helper()
	w, err := office.Load(r.t.Context(), r.ledger, scene.Default())
	if err != nil {
		r.t.Fatal(err)
	}
	again := *r
	again.View = view.New(view.Config{Ledger: r.ledger, World: w, Node: "local", Now: r.office.Clock().Now})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- again.Run(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
	return &again
}

func (r *rig) tell(facts ...contracts.Fact) contracts.Reply {
	r.t.Helper()
	var last contracts.Reply
	for _, last = range r.office.Tell(r.t.Context(), facts...) {
		if last.Refusal != nil {
			r.t.Fatal(last.Refusal)
		}
	}
	return last
}

func (r *rig) do(id string, data contracts.CommandData) {
	r.t.Helper()
	if reply := r.office.Do(r.t.Context(), contracts.Command{ID: "cmd_" + id, Caller: contracts.Caller{Identity: "test"}, Data: data}); reply.Refusal != nil {
		r.t.Fatal(reply.Refusal)
	}
}

func (r *rig) ask() (decisionID string) {
	r.t.Helper()
	return r.tell(contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", Options: []string{"A", "B"}}).Result.DecisionID
}

func (r *rig) resolve(id string) {
	r.t.Helper()
	r.do(id, contracts.ResolveDecision{DecisionID: id, Choice: "B", Note: "why not"})
}
