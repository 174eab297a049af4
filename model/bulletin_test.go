package model

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// notices is an office that receives workflow events and has its own clock.
type notices struct {
	*Office
	local int64
}

func newNotices() *notices {
	b := &notices{local: 1000}
	b.Office = New(func() int64 { return b.local })
	b.snapshot(1)
	return b
}

func (b *notices) snapshot(seq uint64) {
	b.Apply(Message{Type: contracts.TypeSnapshot, ID: fmt.Sprint("snap_", seq, b.local), TS: b.local, Seq: seq, Payload: &contracts.Snapshot{}})
}

func (b *notices) ui(kind contracts.UIKind, seq uint64, normalized, run string, change ...func(*contracts.UI)) {
	u := &contracts.UI{Name: "abstract." + string(kind), Kind: kind, RunID: run, Normalized: jsontext.Value(normalized)}
	for _, c := range change {
		c(u)
	}
	b.Apply(Message{Type: contracts.MessageType(contracts.KindUI), ID: fmt.Sprint("ui_", seq), TS: b.local, Seq: seq, Payload: u})
}

func (b *notices) texts() (list []string) {
	for _, s := range b.Statuses() {
		list = append(list, s.Text)
	}
	return list
}

func (b *notices) says(t *testing.T, want ...string) {
	t.Helper()
	if got := b.texts(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("statuses are %q, want %q", got, want)
	}
}

// TestStatuses checks U4, as web/src/world/bulletin.test.ts does.
func TestStatuses(t *testing.T) {
	b := newNotices()
	b.ui(contracts.UIStatus, 3, `{"text":"Indexing"}`, "r1")
	b.ui(contracts.UIStatus, 4, `{"text":"Reading"}`, "r2")
	b.ui(contracts.UIStatus, 2, `{"text":"Too late"}`, "r1")
	b.says(t, "Indexing", "Reading")
	b.ui(contracts.UIStatus, 9, `{"kind":"status","clear":true}`, "r1")
	b.ui(contracts.UIStatus, 8, `{"text":"Older than the end"}`, "r1")
	b.says(t, "Reading")
	b.Reset()
	b.says(t)
}

func TestStatusesEnd(t *testing.T) {
	b := newNotices()
	b.ui(contracts.UIStatus, 2, `{"text":"a","duration":2}`, "a", func(u *contracts.UI) { u.ExpiresAt = 3000 })
	b.ui(contracts.UIStatus, 3, `{"text":"b","duration":1}`, "b")
	b.ui(contracts.UIStatus, 4, `{"text":"c","duration":-1}`, "c")
	b.ui(contracts.UIStatus, 5, `{"text":"x"}`, "d", func(u *contracts.UI) { u.Ignored = "no text" })
	b.ui(contracts.UIStatus, 6, `{"text":7}`, "e")
	b.ui(contracts.UIProgress, 7, `{"percent":100}`, "f")
	b.says(t, "a", "b", "c", "Working")
	b.local += 1500
	b.says(t, "a", "c", "Working")
	b.local += 6000
	b.says(t, "c")
}

func TestNotices(t *testing.T) {
	b := newNotices()
	b.ui(contracts.UIMessage, 1, `{"text":"Before","level":"info"}`, "")
	b.ui(contracts.UIMessage, 2, `{"text":"Now","level":"error","title":"Build"}`, "")
	b.ui(contracts.UIMessage, 2, `{"text":"Now","level":"error"}`, "")
	b.ui(contracts.UIMessage, 3, `{"text":"Odd","level":"constructor"}`, "")
	b.ui(contracts.UIMessage, 5, `{"text":"  "}`, "")
	got := b.Notices()
	if len(got) != 3 || !got[0].Replay || got[1].Replay || got[1].Title != "Build" || got[2].Level != "info" {
		t.Errorf("%+v", got)
	}
	for seq := range uint64(limitNotices) {
		b.ui(contracts.UIMessage, seq+10, fmt.Sprintf(`{"text":"m%d"}`, seq), "")
	}
	if n := len(b.Notices()); n != limitNotices {
		t.Errorf("%d messages are kept", n)
	}
}

// TestPlain checks that untrusted text cannot control the terminal or secretly change the writing
// direction.
func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"a\u202Eb\u2066c\u200Fd": "a⟨RLO⟩b⟨LRI⟩c⟨RLM⟩d", "שלום é": "שלום é", "\x1b[31mred\x07\u009b1m": "[31mred1m",
		"a\r\nb": "a\nb", "tab\there": "tab    here", "\xff\xfe": "\uFFFD", "✏\uFE0F": "✏", "👩\u200D💻": "👩💻",
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// TestClock checks that the smallest delay counts, that a late message does not set the clock back,
// and that the clock follows a correction of the server's clock.
func TestClock(t *testing.T) {
	local := int64(0)
	c := clock{local: func() int64 { return local }}
	hear := func(at, ts int64) { local = at; c.observe(ts) }
	hear(1000, 5950)
	hear(2000, 6990)
	if got := c.now(); got != 6990 {
		t.Errorf("now is %d", got)
	}
	hear(3000, 7500)
	if got := c.now(); got != 7990 {
		t.Errorf("after a late message now is %d", got)
	}
	for range clockLate + 3 {
		hear(4000, 1000)
	}
	if got := c.now(); got != 1000 {
		t.Errorf("the corrected clock is not followed: %d", got)
	}
}
