package hub

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// A replaced record is framed again at its position, whether it is shorter or longer, and all other
// frames stay the same. Bytes that are still being sent to a viewer do not change.
func TestReplaceFrames(t *testing.T) {
	chat := func(seq uint64, text string) *contracts.Record {
		r, err := contracts.NewRecord(seq, 1, "", &contracts.Chat{ThreadID: "bd_main", From: "user", To: "agent_bd", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return &r
	}
	l := newFrameLog(1<<20, 0)
	want := map[uint64]string{}
	for seq := uint64(1); seq <= 40; seq++ {
		want[seq] = fmt.Sprint("secret ", seq, strings.Repeat(".", int(seq)*7))
		l.add(chat(seq, want[seq]))
	}
	written := l.chunks[0].span(0, len(l.chunks[0].entries))
	before := string(written)
	for seq, text := range map[uint64]string{1: "x", 7: strings.Repeat("longer", 900), 40: "", 41: "is not there"} {
		l.replace(chat(seq, text))
		if _, ok := want[seq]; ok {
			want[seq] = text
		}
	}
	l.add(chat(41, "afterwards"))
	want[41] = "afterwards"
	if string(written) != before {
		t.Error("bytes that a viewer may be writing were changed")
	}
	bytes := 0
	for seq, text := range want {
		pos, ok := l.after(seq - 1)
		if !ok || pos != seq-1 {
			t.Fatalf("record %d is at %d, %v", seq, pos, ok)
		}
		l.visit(pos, pos+1, func(c *chunk, i, _ int) bool {
			bytes += len(c.frame(i))
			if got := string(frameBody(c.frame(i))); got != string(chat(seq, text).AppendMessage(nil)) {
				t.Errorf("record %d: %s", seq, got)
			}
			return true
		})
	}
	if bytes != l.bytes {
		t.Errorf("the log counts %d bytes and holds %d", l.bytes, bytes)
	}
}
