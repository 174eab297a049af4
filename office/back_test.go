package office

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestSweepWithTimesThatGoBack(t *testing.T) {
	ctx := context.Background()
	l, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(t.TempDir(), "l.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	now := time.UnixMilli(1_000_000_000)
	open := func() *Office {
		o, err := Open(ctx, Config{Ledger: l, Now: func() time.Time { return now }, Crew: []contracts.AgentProfile{{AgentID: "agent_bd", Name: "A", Role: contracts.RoleBD}}})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	run := func(o *Office, f contracts.Fact) {
		c, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { _ = o.Run(c); close(done) }()
		if err := o.Record(ctx, f); err != nil {
			t.Fatal(err)
		}
		stop()
		<-done
	}
	o := open()
	now = now.Add(time.Hour)
	run(o, contracts.HUDSeen{HUD: contracts.HUD{UUID: "a", Event: contracts.HUDTurnStart, CorrelationID: "t", AgentID: "agent_bd", Owner: o.Life()}})
	now = now.Add(-time.Hour + time.Second)
	_ = open() // the rule ends t, by a clock that was set back
	w, _ := Load(ctx, l, scene.Default())
	recs, _ := l.Read(ctx, 0, 100, contracts.KindHUD)
	for _, r := range recs {
		t.Log(r.Seq, r.TS, string(r.Body)[:30])
	}
	n, err := l.Retain(ctx, time.UnixMilli(recs[0].TS), []ledger.Rule{{Kind: contracts.KindHUD, MaxAge: time.Minute, UpTo: w.Seq(), Keep: w.Holds()}})
	again, _ := Load(ctx, l, scene.Default())
	t.Log("removed", n, err, "open before", len(w.Turns()), "open after", len(again.Turns()))
	_ = l.SaveCheckpoint
}
