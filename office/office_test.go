package office_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var crew = []contracts.AgentProfile{
	{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD, Runner: "rehearsal", Home: "poi_director_desk"},
	{AgentID: "agent_eng_1", Name: "Dov", Role: contracts.RoleEngineer, Runner: "rehearsal", Home: "poi_coffee_bar"},
}

// run opens an office on a ledger and runs it until the returned function is called.
func run(t *testing.T, l ledger.Ledger) (*office.Office, func()) {
	t.Helper()
	o, err := office.Open(t.Context(), office.Config{Ledger: l, Crew: crew, Director: director.Config{Pace: 500}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the office ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return o, stop
}

func open(t *testing.T, cfg sqlite.Config) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func command(id string, data contracts.CommandData) contracts.Command {
	return contracts.Command{ID: id, Caller: contracts.Caller{Identity: "local/test", Access: contracts.AccessOperator, PlayerID: "player_1"}, Data: data}
}

func submit(text string) contracts.SubmitRequest { return contracts.SubmitRequest{Text: text} }

// W10: a command id has only one effect. Repeating the command returns the same answer, even after
// a restart. The same id with different data is a conflict.
func TestCommandIDCountsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, sqlite.Config{Path: path})
	o, stop := run(t, l)
	first := o.Do(t.Context(), command("cmd_1", submit("Build it")))
	if first.Refusal != nil || first.Result.ProjectID == "" || first.Seq == 0 {
		t.Fatalf("first: %+v", first)
	}
	again := o.Do(t.Context(), command("cmd_1", submit("Build it")))
	want := first
	want.Duplicate = true
	if diff := cmp.Diff(want, again); diff != "" {
		t.Fatalf("the same id got a different answer: %s", diff)
	}
	if other := o.Do(t.Context(), command("cmd_1", submit("Build something else"))); other.Refusal == nil || other.Refusal.Code != contracts.CodeConflict {
		t.Fatalf("the id was accepted for another command: %+v", other)
	}
	stop()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, sqlite.Config{Path: path})
	o, _ = run(t, l)
	if diff := cmp.Diff(want, o.Do(t.Context(), command("cmd_1", submit("Build it")))); diff != "" {
		t.Fatalf("the restart forgot the command: %s", diff)
	}
	if n := projects(t, l); n != 1 {
		t.Fatalf("%d projects, want 1", n)
	}
}

// A refused command that is sent again gets the same refusal, and nothing changes.
func TestRefusalIsRepeated(t *testing.T) {
	o, _ := run(t, open(t, sqlite.Config{}))
	first := o.Do(t.Context(), command("cmd_1", contracts.AutoAssign{ProjectID: "proj_none"}))
	again := o.Do(t.Context(), command("cmd_1", contracts.AutoAssign{ProjectID: "proj_none"}))
	if first.Refusal == nil || first.Refusal.Code != contracts.CodeNotFound || first.Duplicate {
		t.Fatalf("first %+v", first)
	}
	if !again.Duplicate || cmp.Diff(first.Refusal, again.Refusal) != "" {
		t.Fatalf("again %+v", again)
	}
}

// A hundred parallel commands with the same id have one effect.
func TestParallelDuplicates(t *testing.T) {
	l := open(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")})
	o, _ := run(t, l)
	var fresh sync.Map
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			reply := o.Do(t.Context(), command("cmd_same", submit("Build it once")))
			if reply.Refusal != nil {
				t.Errorf("refused: %v", reply.Refusal)
			}
			if !reply.Duplicate {
				fresh.Store(i, true)
			}
		})
	}
	wg.Wait()
	n := 0
	fresh.Range(func(any, any) bool { n++; return true })
	if n != 1 || projects(t, l) != 1 {
		t.Fatalf("%d fresh answers and %d projects, want 1 and 1", n, projects(t, l))
	}
}

// While the disk is full, commands are refused with INTERNAL and nothing is lost. The office recovers
// automatically.
func TestDiskFullAndRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // retries happen only while all goroutines are idle
		var mu sync.Mutex
		free := int64(1 << 40)
		set := func(n int64) { mu.Lock(); free = n; mu.Unlock() }
		l := open(t, sqlite.Config{
			Path:      filepath.Join(t.TempDir(), "ledger.db"),
			FreeSpace: func(string) (int64, int64, error) { mu.Lock(); defer mu.Unlock(); return free, 1 << 41, nil },
		})
		o, _ := run(t, l)
		if r := o.Do(t.Context(), command("cmd_1", submit("One"))); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
		set(0)
		full := o.Do(t.Context(), command("cmd_2", submit("Two")))
		if full.Refusal == nil || full.Refusal.Code != contracts.CodeInternal || full.Refusal.RetryAfterMS == 0 {
			t.Fatalf("on a full disk: %+v", full)
		}
		if o.Health() == nil {
			t.Error("health does not report the full disk")
		}
		set(1 << 40)
		if r := o.Do(t.Context(), command("cmd_2", submit("Two"))); r.Refusal != nil || r.Duplicate {
			t.Fatalf("with space again: %+v", r)
		}
		if err := o.Health(); err != nil {
			t.Errorf("health still says %v", err)
		}
		if n := projects(t, l); n != 2 {
			t.Fatalf("%d projects, want 2", n)
		}
	})
}

// The world after a restart equals the world before it, bit for bit.
func TestRestartKeepsTheWorld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, sqlite.Config{Path: path})
	o, stop := run(t, l)
	for i := range 5 {
		o.Do(t.Context(), command(fmt.Sprint("cmd_", i), submit(fmt.Sprint("Request ", i))))
	}
	waitFor(t, "the plan is wanted", func() bool { return len(o.Work()) == 1 })
	stop()
	replica, err := o.Replica() // the live world, because nothing is running
	if err != nil {
		t.Fatal(err)
	}
	before, err := replica.Hash()
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if after := hash(t, open(t, sqlite.Config{Path: path})); after != before {
		t.Fatalf("hash %s before, %s after", before, after)
	}
}

// After a restart, interrupted work is on the list again with the same key.
func TestWorkIsListedAgainAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, sqlite.Config{Path: path})
	o, stop := run(t, l)
	o.Do(t.Context(), command("cmd_1", submit("Write code")))
	key := o.Work()[0].Key
	stop()
	_ = l.Close()
	o, _ = run(t, open(t, sqlite.Config{Path: path}))
	if work := o.Work(); len(work) != 1 || work[0].Key != key {
		t.Fatalf("after the restart the work is %+v, want %s", work, key)
	}
}

func TestPlayersMoveInMemoryOnly(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, _ := run(t, l)
	head := l.Head()
	if r := o.Do(t.Context(), command("p1", contracts.PlayerPos{Pos: contracts.Vec3{99, 0, 0}})); r.Refusal == nil || r.Refusal.Code != contracts.CodeValidationFailed {
		t.Errorf("outside the room: %+v", r)
	}
	if r := o.Do(t.Context(), command("p0", contracts.MovePlayerTo{POIID: "poi_nowhere"})); r.Refusal == nil || len(o.Players()) != 0 {
		t.Errorf("a refused command added a player: %+v, %d players", r, len(o.Players()))
	}
	if r := o.Do(t.Context(), command("p2", contracts.MovePlayerTo{POIID: "poi_lounge"})); r.Refusal != nil || len(r.Result.Path) < 2 {
		t.Errorf("to the lounge: %+v", r)
	}
	sofa := contracts.Vec3{-5.98, 0, 0.1}
	if r := o.Do(t.Context(), command("p3", contracts.MovePlayerTo{Pos: &sofa})); r.Refusal == nil || r.Refusal.Code != contracts.CodeNotAllowed {
		t.Errorf("into the sofa: %+v", r)
	}
	if len(o.Players()) != 1 || l.Head() != head {
		t.Errorf("%d players, head moved by %d", len(o.Players()), l.Head()-head)
	}
	o.PlayerLeft("player_1")
	if len(o.Players()) != 0 {
		t.Error("the player is still there")
	}
}

// People walk to rooms that are open, and back to the house when the room that they are in has
// closed.
func TestPlayersWalkOnTheCampus(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, _ := run(t, l)
	campus, err := scene.NewCampus(scene.Default()).Compose([]contracts.Room{{RoomID: "room_1", Module: contracts.ModuleStudio, Plot: contracts.Plot{1, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	stage := contracts.MovePlayerTo{POIID: "poi_stage_r1"}
	if r := o.Do(t.Context(), command("p1", stage)); r.Refusal == nil || r.Refusal.Code != contracts.CodeNotFound {
		t.Errorf("to a room that is not open: %+v", r)
	}
	o.SetSceneFunc(func() *scene.Scene { return campus })
	if r := o.Do(t.Context(), command("p2", stage)); r.Refusal != nil || len(r.Result.Path) < 2 {
		t.Errorf("to the open room: %+v", r)
	}
	if r := o.Do(t.Context(), command("p3", contracts.PlayerPos{Pos: contracts.Vec3{16.2, 0, 3.72}})); r.Refusal != nil {
		t.Errorf("in the open room: %+v", r)
	}
	o.SetSceneFunc(scene.Default)
	if r := o.Do(t.Context(), command("p4", contracts.MovePlayerTo{POIID: "poi_lounge"})); r.Refusal != nil || len(r.Result.Path) < 2 {
		t.Errorf("from a room that has closed: %+v", r)
	}
}

func projects(t *testing.T, l ledger.Ledger) int {
	t.Helper()
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	return len(w.Projects())
}

func hash(t *testing.T, l ledger.Ledger) string {
	t.Helper()
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	h, err := w.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

// People's text goes through RedactText before anything is decided or recorded.
func TestPeoplesTextIsRedacted(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, err := office.Open(t.Context(), office.Config{Ledger: l, Crew: crew, RedactText: func(text string) string { return strings.ReplaceAll(text, "KEY", "[redacted]") }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	first := contracts.SubmitRequest{Text: "Use KEY", Constraints: map[string]any{"note": []any{"KEY"}}, Attachments: []any{map[string]any{"body": "KEY"}}}
	for i, data := range []contracts.CommandData{first, contracts.Say{Text: "my KEY", ThreadID: contracts.ThreadBD}} {
		if reply := o.Do(ctx, command(fmt.Sprint("cmd_", i), data)); reply.Refusal != nil {
			t.Fatal(reply.Refusal)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if first.Constraints["note"].([]any)[0] != "KEY" {
		t.Error("the caller's data was changed")
	}
	recs, err := l.Read(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	marks := 0
	for _, rec := range recs {
		if strings.Contains(string(rec.Body), "KEY") {
			t.Errorf("recorded: %s", rec.Body)
		}
		marks += strings.Count(string(rec.Body), "[redacted]")
	}
	if marks < 4 {
		t.Errorf("%d marks in %d records", marks, len(recs))
	}
}

// A clean shutdown leaves nothing open: the ledger records the end of the office's life, so the next
// start has nothing left to end.
func TestShutdownEndsTheLife(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, stop := run(t, l)
	start := contracts.HUD{UUID: contracts.DerivedUUID("t"), Event: contracts.HUDTurnStart, CorrelationID: "t", AgentID: "agent_eng_1", Session: "s"}
	if err := o.Record(t.Context(), contracts.HUDSeen{HUD: start}); err != nil {
		t.Fatal(err)
	}
	stop()
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range w.Owners() {
		if owner.Up {
			t.Errorf("%s is still up", owner.ID)
		}
	}
	if n := len(w.Turns()); n != 0 {
		t.Errorf("%d turns are open", n)
	}
	before := l.Head()
	if _, err := office.Open(t.Context(), office.Config{Ledger: l, Crew: crew}); err != nil {
		t.Fatal(err)
	}
	if recs, err := l.Read(t.Context(), before, 10); err != nil || len(recs) != 1 || recs[0].Kind != contracts.KindOwner {
		t.Errorf("the next start wrote %v %v", recs, err)
	}
}
