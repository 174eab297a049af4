package hub

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

func deltaOf(t *testing.T, m message) contracts.StreamDelta {
	t.Helper()
	var d contracts.StreamDelta
	if err := json.Unmarshal(m.Payload, &d); err != nil || m.Type != contracts.TypeStream {
		t.Fatalf("want agent_stream, got %s (%v)", m.raw, err)
	}
	return d
}

func piece(seq uint64, text string, done bool) contracts.StreamDelta {
	return contracts.StreamDelta{StreamID: "stream_a", AgentID: contracts.AgentBD, Kind: "token", Seq: seq, Delta: text, Done: done}
}

func TestStreamLateJoinerGetsTheTextSoFarOnce(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		early := r.connect(t)
		early.hello(helloPlain)
		early.subscribe(`{"agent_stream":true}`)
		early.expect(contracts.TypeSnapshot)
		r.hub.PublishStream(piece(1, "Hello ", false))
		r.hub.PublishStream(piece(2, "wor", false))
		late := r.connect(t)
		late.hello(helloPlain)
		late.subscribe(`{"agent_stream":true}`)
		late.expect(contracts.TypeSnapshot)
		if d := deltaOf(t, late.next()); !d.CatchUp || d.Delta != "Hello wor" || d.Seq != 2 {
			t.Errorf("catch-up %+v", d)
		}
		r.hub.PublishStream(piece(3, "ld", true))
		for i, want := range []string{"Hello ", "wor", "ld"} {
			if d := deltaOf(t, early.next()); d.Delta != want || d.Seq != uint64(i+1) || d.CatchUp {
				t.Errorf("early got %+v", d)
			}
		}
		if d := deltaOf(t, late.next()); d.Delta != "ld" || !d.Done {
			t.Errorf("late got %+v", d)
		}
		later := r.connect(t)
		later.hello(helloPlain)
		later.subscribe(`{"agent_stream":true}`)
		later.expect(contracts.TypeSnapshot)
		time.Sleep(time.Second)
		if len(later.got) > 0 {
			t.Errorf("an ended stream was shown: %s", (<-later.got).raw)
		}
	})
}

func TestStreamDoesNotReachOthersNorTheLedger(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.join()
		head := r.ledger.Head()
		r.hub.PublishStream(piece(1, "x", false))
		time.Sleep(time.Second)
		synctest.Wait()
		if len(v.got) > 0 || r.ledger.Head() != head {
			t.Error("a stream leaked")
		}
	})
}

func TestStreamLaggingViewerGetsTheNewestNotAQueue(t *testing.T) {
	l := newStreamLane()
	word := strings.Repeat("x", 1000)
	for i := range uint64(1000) {
		if err := l.publish(piece(i+1, word, false), 1); err != nil {
			t.Fatal(err)
		}
	}
	parts, msgs, end := l.take(0)
	if msgs != 1 || end != 1000 {
		t.Fatalf("%d messages up to %d", msgs, end)
	}
	d := deltaOf(t, decodeMessage(t, frameBody(parts[0])))
	if !d.CatchUp || d.Seq != 1000 || len(d.Delta) != contracts.LimitStreamText {
		t.Errorf("catch-up of %d bytes, seq %d", len(d.Delta), d.Seq)
	}
	if l.lane.bytes > contracts.LimitStreamLane {
		t.Errorf("the lane holds %d bytes", l.lane.bytes)
	}
	l.publish(piece(1001, "", true), 1)
	if _, msgs, _ := l.take(1000); msgs != 1 {
		t.Errorf("%d messages after the end", msgs)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	l := newStreamLane()
	for i := range contracts.LimitOpenStreams * 2 {
		d := piece(1, "x", i%3 == 0)
		d.StreamID += strings.Repeat("y", i)
		l.publish(d, 1)
	}
	if n := len(l.open); n > contracts.LimitOpenStreams+contracts.LimitEndedStreams {
		t.Errorf("%d streams remembered", n)
	}
}
