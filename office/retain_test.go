package office

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestRetainOnSQLite(t *testing.T) {
	ctx := context.Background()
	l, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(t.TempDir(), "l.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ts := int64(0)
	add := func(b contracts.Body) {
		ts++
		r, err := contracts.NewRecord(0, ts, "", b)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append(ctx, ledger.AnySeq, []contracts.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	hash := func() (*world.World, string) {
		w := world.New(scene.Default())
		if err := fold(ctx, l, w, l.Head()); err != nil {
			t.Fatal(err)
		}
		h, _ := w.Hash()
		return w, h
	}
	add(&contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "l", Agents: []contracts.AgentProfile{{AgentID: "agent_a", Name: "A", Role: contracts.RoleBD}}})
	rng, removed := rand.New(rand.NewPCG(1, 2)), 0
	for round := range 30 {
		for range 40 {
			h := contracts.HUD{UUID: fmt.Sprint(ts), AgentID: "agent_a", Session: "s", CorrelationID: fmt.Sprint("t", rng.IntN(6))}
			h.Event = []contracts.HUDEvent{contracts.HUDTurnStart, contracts.HUDTurnEnd}[rng.IntN(2)]
			add(&h)
		}
		w, before := hash()
		state, _ := w.Encode()
		if err := l.SaveCheckpoint(ctx, ledger.Checkpoint{Seq: w.Seq(), Version: world.StateVersion, State: state}); err != nil {
			t.Fatal(err)
		}
		n, err := l.Retain(ctx, time.UnixMilli(ts), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 10, UpTo: w.Seq(), Keep: w.Holds()}})
		if err != nil {
			t.Fatal(err)
		}
		removed += n
		if _, after := hash(); after != before {
			t.Fatal("round", round)
		}
		if err := CompareCheckpoint(ctx, l, scene.Default()); err != nil {
			t.Fatal(err)
		}
	}
	st, _ := l.Stats(ctx)
	t.Logf("removed %d, left %v", removed, st.ByKind)
}
