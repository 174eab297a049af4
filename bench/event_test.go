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
