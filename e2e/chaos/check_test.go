package chaos_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
)

// history holds the content of the ledger at the end of the test.
type history struct {
	t     *testing.T
	recs  []contracts.Record
	chats map[string][]uint64 // seqs by text
	uis   map[string]int      // how often each event id is recorded
	open  map[string]uint64   // the open turns, and the records that started them
}

func readHistory(t *testing.T, c *cluster) *history {
	t.Helper()
	l, err := jetstream.Open(t.Context(), jetstream.Config{URL: c.servers.URL(), Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Verify(t.Context()); err != nil {
		t.Errorf("the ledger is damaged: %v", err)
	}
	h := &history{t: t, chats: map[string][]uint64{}, uis: map[string]int{}}
	for head := l.Head(); uint64(len(h.recs)) < head; {
		page, err := l.Read(t.Context(), uint64(len(h.recs)), 1000)
		if err != nil || len(page) == 0 {
			t.Fatalf("read after record %d of %d: %v", len(h.recs), head, err)
		}
		h.recs = append(h.recs, page...)
	}
	for i := range h.recs {
		if got, want := h.recs[i].Seq, uint64(i+1); got != want {
			t.Fatalf("record %d is in the place of record %d", got, want)
		}
		body, err := h.recs[i].Decode()
		if err != nil {
			t.Fatalf("record %d: %v", h.recs[i].Seq, err)
		}
		switch b := body.(type) {
		case *contracts.Chat:
			h.chats[b.Text] = append(h.chats[b.Text], h.recs[i].Seq)
		case *contracts.UI:
			h.uis[b.EventID]++
		}
	}
	h.turns()
	return h
}

// commandsOnce checks that every acknowledged command was executed exactly once, and that no
// refused command was executed.
func (h *history) commandsOnce(list []outcome) {
	h.t.Helper()
	acked := 0
	for _, o := range list {
		n := len(h.chats[o.text])
		switch {
		case o.seq != 0:
			acked++
			if n != 1 || h.chats[o.text][0] > o.seq {
				h.t.Errorf("%q was acknowledged at record %d and is recorded at %v", o.text, o.seq, h.chats[o.text])
			}
		case o.refused && n != 0, n > 1:
			h.t.Errorf("%q (refused: %t) is recorded %d times", o.text, o.refused, n)
		}
	}
	h.t.Logf("%d of %d commands acknowledged", acked, len(list))
	if acked == 0 {
		h.t.Error("no command was acknowledged")
	}
}

// reportsOnce checks that every accepted report is recorded exactly once.
func (h *history) reportsOnce(list []outcome) {
	h.t.Helper()
	taken := 0
	for _, o := range list {
		n := h.uis[o.text]
		if o.seq != 0 {
			taken++
		}
		if n > 1 || o.seq != 0 && n != 1 {
			h.t.Errorf("%q (taken: %t) is recorded %d times", o.text, o.seq != 0, n)
		}
	}
	h.t.Logf("%d of %d reports taken", taken, len(list))
	if taken == 0 {
		h.t.Error("no report was taken")
	}
}

// turns checks that no turn starts or ends twice, and collects the turns without an end.
func (h *history) turns() {
	h.t.Helper()
	h.open = map[string]uint64{}
	turns := 0
	for i := range h.recs {
		head, ok := h.recs[i].Head()
		if !ok {
			continue
		}
		id := fmt.Sprintf("%s %s %s", head.AgentID, head.Session, head.CorrelationID)
		switch head.Event {
		case contracts.HUDTurnStart:
			if h.open[id] != 0 {
				h.t.Errorf("record %d starts turn %s, which is open since record %d", h.recs[i].Seq, id, h.open[id])
			}
			turns++
			h.open[id] = h.recs[i].Seq
		case contracts.HUDTurnEnd:
			if h.open[id] == 0 {
				h.t.Errorf("record %d ends turn %s, which is not open", h.recs[i].Seq, id)
			}
			delete(h.open, id)
		}
	}
	h.t.Logf("%d turns", turns)
	if turns == 0 {
		h.t.Error("no turn was run")
	}
}

// oneOrder checks that the acknowledgements are consistent with a single order: a command that was
// acknowledged before another was sent has a lower seq.
func oneOrder(t *testing.T, list []outcome) {
	t.Helper()
	model := porcupine.Model{
		Init: func() any { return uint64(0) },
		Step: func(state, _, output any) (bool, any) { return output.(uint64) > state.(uint64), output },
	}
	var ops []porcupine.Operation
	for i, o := range list {
		if o.seq != 0 {
			ops = append(ops, porcupine.Operation{ClientId: i, Call: o.sent.UnixNano(), Output: o.seq, Return: o.done.UnixNano()})
		}
	}
	if !porcupine.CheckOperations(model, ops) {
		t.Error("the acknowledgements fit no single order of the commands")
	}
}

// streamsComplete checks that each viewer has seen every visible record once and in order, since it
// last started over.
func (h *history) streamsComplete(viewers []*viewer) {
	t := h.t
	t.Helper()
	shown := []contracts.Kind{contracts.KindEvent, contracts.KindChat, contracts.KindHUD, contracts.KindUI}
	for _, v := range viewers {
		if v.wrong != "" {
			t.Errorf("viewer at %s: %s", v.node, v.wrong)
		}
		if len(v.seqs) == 0 {
			if v.resets == 0 {
				t.Errorf("the viewer at %s saw nothing", v.node)
			}
			continue
		}
		seen, last := map[uint64]bool{}, v.last()
		for _, seq := range v.seqs {
			seen[seq] = true
		}
		for _, rec := range h.recs {
			if rec.Seq > v.seqs[0] && rec.Seq <= last && slices.Contains(shown, rec.Kind) && !seen[rec.Seq] {
				t.Errorf("the viewer at %s missed record %d (%s)", v.node, rec.Seq, rec.Kind)
				break
			}
		}
		t.Logf("the viewer at %s saw %d records from %d, %d resets %v", v.node, len(v.seqs), v.seqs[0], v.resets, v.why)
	}
}

// worldsEqual checks that all nodes show the same office at the same record.
func worldsEqual(t *testing.T, c *cluster) {
	t.Helper()
	var worlds []map[string]any
	until(t, "all nodes are at the same record", func() (bool, string) {
		worlds = nil
		var seqs []any
		for _, n := range c.nodes {
			worlds = append(worlds, state(t, n))
			seqs = append(seqs, worlds[len(worlds)-1]["seq"])
		}
		return seqs[0] == seqs[1] && seqs[1] == seqs[2], fmt.Sprint(seqs)
	})
	for i, w := range worlds[1:] {
		if diff := cmp.Diff(worlds[0], w); diff != "" {
			t.Errorf("%s and %s show different offices:\n%s", c.nodes[0].name, c.nodes[i+1].name, diff)
		}
	}
}

// state returns the office as a node shows it, without the values that depend on the time of the
// request.
func state(t *testing.T, n *node) (world map[string]any) {
	t.Helper()
	c := n.client("state")
	defer c.Close()
	data, err := c.Read(t.Context(), "/v1/state", 64<<20)
	if err == nil {
		err = json.Unmarshal(data, &world)
	}
	if err != nil {
		t.Fatalf("state of %s: %v", n.name, err)
	}
	delete(world, "ts")
	for _, a := range world["agents"].([]any) {
		delete(a.(map[string]any), "pos")
		delete(a.(map[string]any), "facing")
	}
	return world
}
