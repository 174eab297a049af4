//go:build linux

package main

import (
	"testing"
	"time"
)

func TestEventHasItsSizeAndTimestamp(t *testing.T) {
	now := time.Unix(1_800_000_000, 12345)
	rec, err := eventAt(7, now)
	if err != nil {
		t.Fatal(err)
	}
	rec.Seq = 1001
	msg := rec.AppendMessage(nil)
	if len(msg) != messageBytes {
		t.Errorf("the message has %d bytes, want %d: %s", len(msg), messageBytes, msg)
	}
	sent, rest, ok := stampIn(msg)
	if !ok || sent != now.UnixNano() {
		t.Errorf("sent %d %v, want %d", sent, ok, now.UnixNano())
	}
	if _, _, again := stampIn(rest); again {
		t.Error("a message has more than one timestamp")
	}
}

func TestViewerCountsEventsInPieces(t *testing.T) {
	rec, err := eventAt(7, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var stream []byte
	for range 3 {
		stream = rec.AppendMessage(stream)
	}
	for step := 1; step < len(stream); step += 7 {
		v := &viewer{}
		for rest := stream; len(rest) > 0; rest = rest[min(step, len(rest)):] {
			v.look(rest[:min(step, len(rest))])
		}
		if v.messages != 3 {
			t.Fatalf("in pieces of %d bytes %d events were seen, want 3", step, v.messages)
		}
	}
}

func TestViewerNoticesRepeatedAndReorderedEvents(t *testing.T) {
	stream := func(seconds ...int64) (b []byte) {
		for _, s := range seconds {
			rec, err := eventAt(7, time.Unix(1_800_000_000+s, 0))
			if err != nil {
				t.Fatal(err)
			}
			b = rec.AppendMessage(b)
		}
		return b
	}
	for _, c := range []struct {
		sent []int64
		want int
	}{
		{[]int64{1, 2, 3}, 0},
		{[]int64{1, 2, 2, 3}, 1},
		{[]int64{1, 3, 2}, 1},
	} {
		v := &viewer{}
		v.look(stream(c.sent...))
		if v.messages != len(c.sent) || v.disorder != c.want {
			t.Errorf("%v: %d events, %d out of order; want %d out of order", c.sent, v.messages, v.disorder, c.want)
		}
	}
}
