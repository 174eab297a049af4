package office_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// faulty is a real ledger whose appends a test can delay, make fail, or execute but report as
// failed. Only appends that contain a record of the given kind are affected.
type faulty struct {
	ledger.Ledger
	kind contracts.Kind
	mu   sync.Mutex
	next []func(append func() error) error
}

func (m *faulty) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	ctx = context.WithoutCancel(ctx) // an append may happen after its context is done
	write := func() error { return m.Ledger.Append(ctx, after, recs) }
	m.mu.Lock()
	if len(m.next) == 0 || !slices.ContainsFunc(recs, func(r contracts.Record) bool { return r.Kind == m.kind }) {
		m.mu.Unlock()
		return write()
	}
	fault := m.next[0]
	m.next = m.next[1:]
	m.mu.Unlock()
	return fault(write)
}

var errDisk = errors.New("the disk is gone")

// together sends commands that share one batch; fault decides what happens to that batch's append.
// The caller must be in a synctest bubble, which can detect that a command is waiting.
func together(t *testing.T, fault func(append func() error) error, data ...contracts.Command) (replies []contracts.Reply, l ledger.Ledger, again func(contracts.Command) contracts.Reply) {
	t.Helper()
	m := &faulty{Ledger: open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")}), kind: contracts.KindReceipt}
	o, _ := run(t, m)
	held, release := make(chan struct{}), make(chan struct{})
	m.mu.Lock()
	m.next = append(m.next, func(write func() error) error { close(held); <-release; return write() }, fault)
	m.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { o.Do(t.Context(), command("first", submit("Holds the writer up"))) })
	<-held
	replies = make([]contracts.Reply, len(data))
	for i, c := range data {
		wg.Go(func() { replies[i] = o.Do(t.Context(), c) })
		synctest.Wait() // the command is in the inbox, after the earlier ones
	}
	close(release)
	wg.Wait()
	return replies, m, func(c contracts.Command) contracts.Reply { return o.Do(t.Context(), c) }
}

func fails(func() error) error { return errDisk }

// A command is not acknowledged unless it is durable, and neither is its duplicate in the same
// batch.
func TestFailedAppendAcknowledgesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		same := command("twin", submit("Only once"))
		replies, l, again := together(t, fails, same, same)
		for i, r := range replies {
			if r.Refusal == nil || r.Refusal.Code != contracts.CodeInternal {
				t.Errorf("reply %d: %+v, want INTERNAL", i, r)
			}
		}
		if n := projects(t, l); n != 1 {
			t.Fatalf("%d projects, want only the first", n)
		}
		if r := again(same); r.Refusal != nil || r.Duplicate {
			t.Errorf("the reply to the retry is %+v", r)
		}
	})
}

// A refusal that depends on a failed append is forgotten.
func TestFailedAppendDropsItsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pause := contracts.PauseProject{ProjectID: "proj_p1"}
		replies, _, again := together(t, fails, command("a", pause), command("b", pause))
		for i, r := range replies {
			if r.Refusal == nil || r.Refusal.Code != contracts.CodeInternal {
				t.Errorf("reply %d: %+v, want INTERNAL", i, r)
			}
		}
		if r := again(command("b", pause)); r.Refusal != nil {
			t.Errorf("the retry was refused because of a failed append: %+v", r)
		}
	})
}

// If an append happened but its answer was lost, the command is still acknowledged.
func TestLostAnswerIsFoundInTheLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cmd := command("lost", submit("Written nevertheless"))
		replies, l, again := together(t, lost, cmd)
		if r := replies[0]; r.Refusal != nil || r.Result.ProjectID == "" {
			t.Fatalf("the command is in the ledger, but the reply is %+v", r)
		}
		if r := again(cmd); !r.Duplicate || projects(t, l) != 2 {
			t.Errorf("the retry: %+v, %d projects", r, projects(t, l))
		}
	})
}

// A fact whose append failed may be reported again.
func TestFailedFactIsNotARefusal(t *testing.T) {
	m := &faulty{Ledger: open(t, sqlite.Config{}), kind: contracts.KindProposal}
	o, _ := run(t, m)
	project := o.Do(t.Context(), command("c", submit("Plan me"))).Result.ProjectID
	m.mu.Lock()
	m.next = append(m.next, fails)
	m.mu.Unlock()
	plan := contracts.PlanReady{ProjectID: project, Tasks: []contracts.TaskDraft{{Title: "One", Kind: contracts.KindCode}}}
	var refusal *contracts.Refusal
	if err := o.Record(t.Context(), plan); err == nil || errors.As(err, &refusal) {
		t.Fatalf("the reply to a fact that was not written is %v", err)
	}
	if err := o.Record(t.Context(), plan); err != nil {
		t.Fatalf("reported again: %v", err)
	}
}

// A ledger that cannot be written to can still be read. The office's life begins with the first
// input that can be written; everything that was left open ends then.
func TestLifeBeginsOnceTheLedgerWrites(t *testing.T) {
	m := &faulty{Ledger: open(t, sqlite.Config{}), kind: contracts.KindOwner}
	o, stop := run(t, m)
	turn := contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "t", AgentID: "agent_bd"}}
	if refusal := o.Tell(t.Context(), turn)[0].Refusal; refusal != nil {
		t.Fatal(refusal)
	}
	stop()
	fails := func(func() error) error { return errDisk }
	m.next = append(m.next, fails, fails)
	o, _ = run(t, m)
	head := m.Head()
	again := contracts.HUDSeen{HUD: contracts.HUD{UUID: "2", Event: contracts.HUDTurnStart, CorrelationID: "u", AgentID: "agent_bd"}}
	if refusal := o.Tell(t.Context(), again)[0].Refusal; refusal == nil || refusal.Code != contracts.CodeInternal || m.Head() != head {
		t.Fatalf("refusal %v; the head is %d and was %d", refusal, m.Head(), head)
	}
	if refusal := o.Tell(t.Context(), again)[0].Refusal; refusal != nil {
		t.Fatal(refusal)
	}
	if w, _ := loaded(t, m); len(w.Turns()) != 1 || w.Turns()[0].ID != "u" || len(w.Owners()) != 1 || w.Turns()[0].Owner != w.Owners()[0].ID {
		t.Errorf("open: %+v, owners: %+v", w.Turns(), w.Owners())
	}
}

// Health reports a hanging append before the append returns.
func TestHangingAppendIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &faulty{Ledger: open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")}), kind: contracts.KindReceipt}
		o, _ := run(t, m)
		release := make(chan struct{})
		m.mu.Lock()
		m.next = append(m.next, func(write func() error) error { <-release; return write() })
		m.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if reply := o.Do(ctx, command("c", submit("It hangs"))); reply.Refusal == nil || o.Health() != nil {
			t.Errorf("after 10 seconds: %+v, %v", reply, o.Health())
		}
		time.Sleep(20 * time.Second)
		if err := o.Health(); err == nil || !strings.Contains(err.Error(), "30s") {
			t.Errorf("after 30 seconds: %v", err)
		}
		close(release)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if err := o.Health(); err != nil {
			t.Errorf("after the append: %v", err)
		}
	})
}

// stuck is a ledger that never responds to appends of commands.
type stuck struct{ ledger.Ledger }

func (l stuck) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	if slices.ContainsFunc(recs, func(r contracts.Record) bool { return r.Kind == contracts.KindReceipt }) {
		<-ctx.Done()
		return fmt.Errorf("%w: %w", ledger.ErrUnconfirmed, ctx.Err())
	}
	return l.Ledger.Append(ctx, after, recs)
}

// If the ledger does not respond, the office still stops within seconds, and does not acknowledge
// the command that it was recording.
func TestShutdownDoesNotWaitForAnAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, stop := run(t, stuck{open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")})})
		replies := make(chan contracts.Reply, 1)
		go func() { replies <- o.Do(t.Context(), command("c", submit("It hangs"))) }()
		synctest.Wait()
		began := time.Now()
		stop()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the office took %s to end", took)
		}
		if r := (<-replies).Refusal; r == nil || !strings.Contains(r.Message, "outcome unknown") {
			t.Errorf("the reply is %v", r)
		}
	})
}
