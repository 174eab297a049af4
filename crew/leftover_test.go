package crew_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// killed is a ledger as a killed server leaves it, holding these facts a second
// apart.
func killed(t *testing.T, facts ...contracts.HUD) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var recs []contracts.Record
	for i, h := range facts {
		h.UUID, h.AgentID = fmt.Sprintf("old-%d", i), "agent_writer_1"
		rec, err := contracts.NewRecord(uint64(i+1), int64(1000*i), "", &h)
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	if err := l.Append(t.Context(), 0, recs); err != nil {
		t.Fatal(err)
	}
	return l
}

// H3: every start has an end, also when the server was killed in the middle. The
// next life ends what was left open, the inner first, before it takes up work.
func TestLeftoversAreEnded(t *testing.T) {
	const mine, other = "rehearsal:agent_writer_1", "bridge:somebody"
	l := killed(t,
		contracts.HUD{Event: contracts.HUDTurnStart, Session: mine, CorrelationID: "t0"},
		contracts.HUD{Event: contracts.HUDTurnEnd, Session: mine, CorrelationID: "t0"},
		contracts.HUD{Event: contracts.HUDReceived, Session: mine},
		contracts.HUD{Event: contracts.HUDTurnStart, Session: other, CorrelationID: "o1"},
		contracts.HUD{Event: contracts.HUDTurnStart, Session: mine, CorrelationID: "t1", TaskID: "task_a", Rehearsal: true},
		contracts.HUD{Event: contracts.HUDThinkStart, Session: mine, CorrelationID: "k1", ParentID: "t1"},
		contracts.HUD{Event: contracts.HUDToolStart, Session: mine, CorrelationID: "c1", ParentID: "t1", Tool: "exec", Args: jsontext.Value(`{"command":"make /w/a.mk"}`)},
		contracts.HUD{Event: contracts.HUDToolStart, Session: mine, CorrelationID: "c2", ParentID: "t1", Tool: "mystery"},
		contracts.HUD{Event: contracts.HUDToolStart, Session: mine, CorrelationID: "c3", ParentID: "t1", Tool: "read"},
		contracts.HUD{Event: contracts.HUDToolEnd, Session: mine, CorrelationID: "c3", ParentID: "t1", Tool: "read"},
	)
	got := nextLife(t, l)
	const reason = "the server stopped in the middle"
	want := []string{
		`tool_end c2 t1 2000 {"ok":false,"raw":"` + reason + `"}`,
		`tool_end c1 t1 3000 {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"mentionedPaths":[{"path":"/w/a.mk","viewerPath":"a.mk"}],"error":"` + reason + `"}`,
		`think_end k1 t1 4000 {"ok":false,"error":"` + reason + `"}`,
		`turn_end t1  5000 {"ok":false,"error":"` + reason + `"}`,
		`the turn of task_a begins`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A guest's session may begin with the name of a runner; it is not the crew's to end.
func TestLeftoversOfGuestsStayOpen(t *testing.T) {
	l := killed(t, contracts.HUD{Event: contracts.HUDTurnStart, Session: crew.Rehearsal + ":7d1c", CorrelationID: "t1"})
	if got := nextLife(t, l); len(got) != 1 {
		t.Errorf("ended %q", got)
	}
}

// Only the newest records are searched, page by page.
func TestLeftoversLookBackIsBounded(t *testing.T) {
	facts := []contracts.HUD{{Event: contracts.HUDTurnStart, Session: "rehearsal:agent_writer_1", CorrelationID: "forgotten"}}
	for len(facts) <= contracts.LimitLookBack {
		facts = append(facts, contracts.HUD{Event: contracts.HUDReceived, Session: "rehearsal:agent_writer_1"})
	}
	facts[len(facts)-contracts.LimitLookBack] = contracts.HUD{Event: contracts.HUDTurnStart, Session: "rehearsal:agent_writer_1", CorrelationID: "found"}
	got := nextLife(t, killed(t, facts...))
	if len(got) != 2 || got[0][:len("turn_end found")] != "turn_end found" {
		t.Errorf("ended %q", got)
	}
}

// nextLife runs a crew on a ledger until it has taken up work, and tells what it
// recorded up to then.
func nextLife(t *testing.T, l ledger.Ledger) (told []string) {
	t.Helper()
	o := newOffice(taskWork("task_a", 1))
	var running atomic.Int32
	cfg := o.config(runners(waiting(&running)))
	cfg.History = l
	cfg.Roots = func(string) hud.Roots { return hud.Roots{Work: "/w"} }
	stop := open(t, cfg)
	for running.Load() == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.facts {
		switch f := f.(type) {
		case contracts.HUDSeen:
			h := f.HUD
			told = append(told, fmt.Sprintf("%s %s %s %d %s", h.Event, h.CorrelationID, h.ParentID, *h.DurationMS, h.Result))
			if h.Session == "" || h.UUID == "" || h.AgentID == "" || (h.CorrelationID == "t1") != (h.TaskID == "task_a" && h.Rehearsal) {
				t.Errorf("not the end of its start: %+v", h)
			}
		case contracts.RunBegan:
			return append(told, "the turn of "+f.TaskID+" begins")
		}
	}
	return told
}
