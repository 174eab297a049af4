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
				t.Errorf("the early viewer got %+v", d)
			}
		}
		if d := deltaOf(t, late.next()); d.Delta != "ld" || !d.Done {
			t.Errorf("the late viewer got %+v", d)
		}
		later := r.connect(t)
		later.hello(helloPlain)
		later.subscribe(`{"agent_stream":true}`)
		later.expect(contracts.TypeSnapshot)
		time.Sleep(time.Second)
		if len(later.got) > 0 {
			t.Errorf("an ended stream was sent: %s", (<-later.got).raw)
		}
	})
}

func TestStreamStaysOutOfOtherChannelsAndTheLedger(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.join()
		head := r.ledger.Head()
		r.hub.PublishStream(piece(1, "x", false))
		time.Sleep(time.Second)
		synctest.Wait()
		if len(v.got) > 0 || r.ledger.Head() != head {
			t.Error("a stream reached another channel or the ledger")
		}
	})
}

func TestStreamLaggingViewerGetsTheTextSoFar(t *testing.T) {
	l := newStreamLog()
	l.viewers.Add(1)
	word := strings.Repeat("x", 1000)
	for i := range uint64(1000) {
		if _, err := l.publish(piece(i+1, word, false), 1); err != nil {
			t.Fatal(err)
		}
	}
	parts, msgs, end := l.framesFrom(0)
	if msgs != 1 || end != 1000 {
		t.Fatalf("%d messages up to %d", msgs, end)
	}
	d := deltaOf(t, decodeMessage(t, frameBody(parts[0])))
	if !d.CatchUp || d.Seq != 1000 || len(d.Delta) != contracts.LimitStreamText {
		t.Errorf("catch-up of %d bytes, seq %d", len(d.Delta), d.Seq)
	}
	if l.log.bytes > contracts.LimitStreamLog {
		t.Errorf("the log has %d bytes", l.log.bytes)
	}
	l.publish(piece(1001, "", true), 1)
	if _, msgs, _ := l.framesFrom(1000); msgs != 1 {
		t.Errorf("%d messages after the end", msgs)
	}
}

// A stream without viewers is not framed. A viewer that joins later receives the accumulated text,
// then the deltas.
func TestStreamWithoutViewersIsNotFramed(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.hello(helloPlain)
		v.subscribe(`{"events":true}`)
		v.expect(contracts.TypeSnapshot)
		r.hub.PublishStream(piece(1, "Hello ", false))
		r.hub.PublishStream(piece(2, "wor", false))
		if end := r.hub.streams.log.end; end != 0 {
			t.Errorf("%d deltas were framed without a viewer", end)
		}
		v.subscribe(`{"events":true,"agent_stream":true}`)
		if d := deltaOf(t, v.next()); !d.CatchUp || d.Delta != "Hello wor" || d.Seq != 2 {
			t.Errorf("the text so far is %+v", d)
		}
		r.hub.PublishStream(piece(3, "ld", true))
		if d := deltaOf(t, v.next()); d.CatchUp || d.Delta != "ld" || !d.Done {
			t.Errorf("the next delta is %+v", d)
		}
		v.subscribe(`{"events":true}`)
		synctest.Wait()
		r.hub.PublishStream(piece(1, "again", false))
		if end := r.hub.streams.log.end; end != 1 {
			t.Errorf("%d deltas were framed after the last viewer left", end)
		}
	})
}

func TestStreamsAreBounded(t *testing.T) {
	l := newStreamLog()
	for i := range contracts.LimitOpenStreams * 2 {
		d := piece(1, "x", i%3 == 0)
		d.StreamID += strings.Repeat("y", i)
		l.publish(d, 1)
	}
	if n := len(l.open); n > contracts.LimitOpenStreams+contracts.LimitEndedStreams {
		t.Errorf("%d streams are kept", n)
	}
}

// TestW19_StreamsAreCleanAndBounded checks that streamed text cannot reorder, hide or overflow the
// text around it, even if it arrives in pieces.
func TestW19_StreamsAreCleanAndBounded(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.hello(helloPlain)
		v.subscribe(`{"agent_stream":true}`)
		v.expect(contracts.TypeSnapshot)
		r.hub.PublishStream(piece(1, "a\u202e\x1b[31mb\xff\n", false))
		if d := deltaOf(t, v.next()); d.Delta != "a[31mb\n" {
			t.Errorf("the text is not clean: %q", d.Delta)
		}
		r.hub.PublishStream(piece(2, strings.Repeat("é", contracts.LimitStreamText), false))
		d := deltaOf(t, v.next())
		if n := len(d.Delta); n > contracts.LimitStreamText || n < contracts.LimitStreamText-1 || strings.Trim(d.Delta, "é") != "" {
			t.Errorf("a delta has %d bytes", n)
		}
		var text string
		for i := range uint64(3 * contracts.LimitCombining) {
			r.hub.PublishStream(piece(3+i, "\u0301", false))
			text += deltaOf(t, v.next()).Delta
		}
		if n := len(text) / len("\u0301"); n != contracts.LimitCombining {
			t.Errorf("%d combining marks in a row", n)
		}
	})
}
