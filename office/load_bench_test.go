package office_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world/scene"
)

// BenchmarkLoad measures folding 100,000 records without a checkpoint, as at the first start after
// an upgrade. Almost all of them start a tool call or end one with a one-kilobyte result.
func BenchmarkLoad(b *testing.B) {
	l, err := sqlite.Open(b.Context(), sqlite.Config{Path: filepath.Join(b.TempDir(), "ledger.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	result := jsontext.Value(`{"ok":true,"text":"` + strings.Repeat("x", 1000) + `"}`)
	var recs []contracts.Record
	add := func(body contracts.Body) {
		rec, err := contracts.NewRecord(l.Head()+uint64(len(recs))+1, 1000, "", body)
		if err != nil {
			b.Fatal(err)
		}
		if recs = append(recs, rec); len(recs) == 1000 {
			if err := l.Append(b.Context(), l.Head(), recs); err != nil {
				b.Fatal(err)
			}
			recs = nil
		}
	}
	add(&contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "l", Agents: crew})
	for i := 0; l.Head() < 100_000; i++ {
		h := contracts.HUD{UUID: fmt.Sprint(i), Event: contracts.HUDToolStart, CorrelationID: fmt.Sprint(i / 2), AgentID: "agent_bd", Session: "s", Tool: "exec", Args: jsontext.Value(`{"command":"go test ./..."}`)}
		if i%2 == 1 {
			h.Event, h.Args, h.Result = contracts.HUDToolEnd, nil, result
		}
		add(&h)
	}
	for b.Loop() {
		w, err := office.Load(b.Context(), l, scene.Default())
		if err != nil || len(w.LooseCalls()) > 1 {
			b.Fatal(err)
		}
	}
}
