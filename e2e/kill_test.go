package e2e_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world/scene"
)

// child is a server in its own process.
type child struct {
	cmd  *exec.Cmd
	addr string
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childData+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	return &child{cmd: cmd, addr: strings.TrimSpace(addr)}
}

// kill sends SIGKILL, so that nothing is flushed.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// The server is killed at random points of a running flow and restarted on the same ledger file until
// the flow is finished. Every acknowledged command takes effect exactly once, the client resumes with
// CURSOR_OK, and it receives the messages in the ledger's order, without gaps or duplicates (W3, W8,
// W9, W10).
func TestKilledAtRandomPoints(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	p := newPerson("survivor")
	kills := 0
	for life := 0; !p.done; life++ {
		if life > 60 {
			t.Fatal("the flow never finished")
		}
		c := startChild(t, dir)
		ack, err := p.arrive(c.addr)
		if err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
		if life > 0 {
			if got := ack.at("payload.resume.reason"); got != "CURSOR_OK" {
				t.Fatalf("life %d: resume %v, want CURSOR_OK", life, ack.at("payload.resume"))
			}
		} else if err := p.give("submit_request", message{"text": request}); err != nil {
			t.Fatal(err)
		}
		killed := false
		var bomb *time.Timer
		if kills < 12 {
			bomb = time.AfterFunc(time.Duration(20+dice.IntN(400))*time.Millisecond, func() { _ = c.cmd.Process.Kill() })
		}
		err = p.watch()
		if bomb != nil {
			killed = !bomb.Stop()
		}
		if err != nil && (!killed || !errors.Is(err, errCut) || closeCode(err) != 0) {
			t.Fatalf("life %d (killed: %v): %v", life, killed, err)
		}
		if err != nil {
			kills++
		}
		p.v.close()
		c.kill()
	}
	if kills < 5 {
		t.Errorf("only %d kills: the flow is too fast to prove anything", kills)
	}
	t.Logf("finished after %d kills, %d messages", kills, len(p.seen))
	verify(t, p, filepath.Join(dir, "ledger.db"))
}

// verify compares the messages that a client received with the ledger.
func verify(t *testing.T, p *person, path string) {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := l.Verify(t.Context()); err != nil {
		t.Errorf("the ledger is damaged: %v", err)
	}
	recs, err := l.Read(t.Context(), 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if open := unended(t, l); len(open) > 8 { // in progress at the last kill
		t.Errorf("open: %v", open)
	}
	if err := office.CompareCheckpoint(t.Context(), l, scene.Default()); err != nil {
		t.Error(err)
	}
	var want []ledgered
	effects := map[string]int{}
	for i, r := range recs {
		if r.Seq != uint64(i+1) {
			t.Fatalf("the ledger has a hole before %d", r.Seq)
		}
		if r.Kind == contracts.KindReceipt {
			body, err := r.Decode()
			if err != nil {
				t.Fatal(err)
			}
			effects[body.(*contracts.Receipt).CommandID]++
		}
		if r.Kind.Visible() && r.Seq > p.began && r.Seq <= p.seen[len(p.seen)-1].seq {
			want = append(want, ledgered{r.Seq, r.ID})
		}
	}
	if !slices.Equal(p.seen, want) {
		t.Errorf("the client saw %d messages, the ledger has %d: %s", len(p.seen), len(want), firstDifference(p.seen, want))
	}
	if len(p.answered) < 5 {
		t.Errorf("only %d commands were answered", len(p.answered))
	}
	for id, m := range p.answered {
		wanted := 0
		if m.str("type") == "ack" {
			wanted = 1
		}
		if effects[id] != wanted {
			t.Errorf("%s was answered by %s and took effect %d times", id, m.str("type"), effects[id])
		}
	}
}

func firstDifference(got, want []ledgered) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("at %d: saw %v, ledger has %v", i, got[i], want[i])
		}
	}
	return "one is longer"
}

// unended returns the starts in a ledger that have no end. It fails the test if the world's open turns
// and calls differ from them, or if a start has several ends.
func unended(t *testing.T, l ledger.Ledger) (open []string) {
	t.Helper()
	recs, err := l.Read(t.Context(), 0, 1<<20, contracts.KindHUD)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	var starts []contracts.HUDHead
	name := func(h contracts.HUDHead) string {
		return h.AgentID + " " + h.Session + " " + strings.TrimSuffix(strings.TrimSuffix(string(h.Event), "_start"), "_end") + " " + h.CorrelationID
	}
	for _, r := range recs {
		switch h, ok := r.Head(); {
		case ok && h.Event.Starts():
			starts = append(starts, h)
		case ok:
			ends[name(h)]++
		}
	}
	for _, h := range starts {
		switch n := ends[name(h)]; {
		case n == 0:
			open = append(open, fmt.Sprintf("%s %s", h.Event, h.CorrelationID))
		case n > 1:
			t.Errorf("%s has %d ends", name(h), n)
		}
	}
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	var held []string
	for _, turn := range w.Turns() {
		held = append(held, "turn_start "+turn.ID)
		for _, call := range turn.Calls {
			held = append(held, string(call.Event)+" "+call.ID)
		}
	}
	slices.Sort(held)
	if diff := cmp.Diff(held, slices.Sorted(slices.Values(open))); diff != "" {
		t.Errorf("the world and the records differ in what is open: %s", diff)
	}
	return open
}
