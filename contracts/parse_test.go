package contracts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const submitRequest = `{"type":"command","id":"cmd_001","ts":1739500100,"v":1,"payload":{"name":"submit_request","data":{"text":"Create a landing page plan + copy + design brief","constraints":{"tone":"friendly","length":"short"},"attachments":[]}}}`

func ping(members string) []byte {
	return []byte(`{"type":"ping","id":"ping_1","ts":1,"v":1,"payload":{}` + members + `}`)
}

func chat(text string) []byte {
	return []byte(`{"type":"chat","id":"chat_1","ts":1,"v":1,"payload":` + text + `}`)
}

// TestTimestamps checks W1: milliseconds are kept, and seconds are converted to milliseconds.
func TestTimestamps(t *testing.T) {
	for ts, want := range map[string]int64{
		"1739500000":      1739500000000,
		"1739500000.25":   1739500000250,
		"1739500000000":   1739500000000,
		"1.7395e12":       1739500000000,
		"99999999999":     99999999999000,
		"100000000000":    100000000000,
		"0":               0,
		"1739500000000.6": 1739500000001,
	} {
		in, r := Parse([]byte(`{"type":"ping","id":"p","ts":` + ts + `,"v":1,"payload":{}}`))
		if r != nil || in.TS != want {
			t.Errorf("ts %s = %d, %v, want %d", ts, in.TS, r, want)
		}
	}
}

// TestLimits checks that the size, the depth and the number of members are limited, and that the
// largest allowed message is accepted.
func TestLimits(t *testing.T) {
	deep := func(n int) []byte { return ping(`,"x":` + strings.Repeat("[", n) + strings.Repeat("]", n)) }
	wide := func(n int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"m%d":0`, i)
		}
		return ping(`,"x":{` + b.String()[1:] + `}`)
	}
	long := func(n int) []byte {
		return ping(`,"x":"` + strings.Repeat("x", n-len(ping(`,"x":""`))) + `"`)
	}
	for name, c := range map[string]struct {
		ok, bad []byte
		id      string
	}{
		"depth":   {deep(LimitDepth - 1), deep(LimitDepth), "ping_1"},
		"members": {wide(LimitMembers), wide(LimitMembers + 1), "ping_1"},
		"size":    {long(LimitFrame), long(LimitFrame + 1), UnknownMsgID},
	} {
		if _, r := Parse(c.ok); r != nil {
			t.Errorf("%s at the limit: %v", name, r)
		}
		in, r := Parse(c.bad)
		if r == nil || r.Code != CodeValidationFailed {
			t.Errorf("%s beyond the limit: %v, want VALIDATION_FAILED", name, r)
		}
		if in.ID != c.id {
			t.Errorf("%s beyond the limit: id %q, want %q", name, in.ID, c.id)
		}
	}
}

// TestRefusedID checks W18: a refusal names the message's id if the id can be read.
func TestRefusedID(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id":"a","type":"fly"}`:          "a",
		`{"type":"fly","x":[1,2],"id":"a"`: "a",
		`{"x":{"a":1,"a":2},"id":"late"}`:  "late",
		`{"id":"a","id":"a"}`:              "a",
		`{"id":"a","id":"b"}`:              UnknownMsgID,
		`{"id":7}`:                         UnknownMsgID,
		`{"id":"a\nb"}`:                    UnknownMsgID,
		`{"payload":{"id":"inner"}}`:       UnknownMsgID,
		`{"ID":"a"}`:                       UnknownMsgID,
		`["id","a"]`:                       UnknownMsgID,
		`{"id":"` + strings.Repeat("x", LimitID+1) + `"}`: UnknownMsgID,
		"{\"id\":\"a\xff\"}":                              UnknownMsgID,
	} {
		in, r := Parse([]byte(raw))
		if r == nil || in.ID != want {
			t.Errorf("%q: id %q, refusal %v; want id %q and a refusal", raw, in.ID, r, want)
		}
	}
}

// TestChat checks W12: a chat message is parsed as the chat command, and belongs to ThreadBD by
// default.
func TestChat(t *testing.T) {
	for raw, want := range map[string]Say{
		`{"text":"hi"}`:                    {ThreadID: ThreadBD, Text: "hi"},
		`{"text":"hi","to":"agent_eng_1"}`: {Text: "hi", To: "agent_eng_1"},
		`{"text":"hi","thread_id":"agent:agent_eng_1","from":"agent_eng_1"}`: {ThreadID: "agent:agent_eng_1", Text: "hi"},
	} {
		in, r := Parse(chat(raw))
		if r != nil {
			t.Errorf("%s: %v", raw, r)
		}
		if diff := cmp.Diff(CommandData(want), in.Command); diff != "" {
			t.Errorf("%s:\n%s", raw, diff)
		}
	}
}

// TestTextIsCleaned checks W19: the length limit applies to the text as sent, and the stored text
// is clean.
func TestTextIsCleaned(t *testing.T) {
	in, r := Parse(chat(`{"text":"a\u202eb\u0000c\r\nd"}`))
	if r != nil {
		t.Fatal(r)
	}
	if got := in.Command.(Say).Text; got != "abc\nd" {
		t.Errorf("text = %q, want %q", got, "abc\nd")
	}
	if _, r := Parse(chat(`{"text":"` + strings.Repeat("😀", LimitChatText) + `"}`)); r != nil {
		t.Errorf("%d characters: %v", LimitChatText, r)
	}
	if _, r := Parse(chat(`{"text":"` + strings.Repeat(`\u0000`, LimitChatText) + `x"}`)); r == nil {
		t.Errorf("%d characters were accepted because cleaning removes some", LimitChatText+1)
	}
}

// TestEveryCommandDecodes checks that each command is decoded into the data type for its name.
func TestEveryCommandDecodes(t *testing.T) {
	seen := map[CommandName]bool{}
	eachExample(t, "examples/valid/command", func(t *testing.T, _ string, raw []byte) {
		in, r := Parse(raw)
		if r != nil {
			t.Fatal(r)
		}
		seen[in.Command.CommandName()] = true
		if !strings.Contains(string(raw), `"`+string(in.Command.CommandName())+`"`) {
			t.Errorf("decoded as %s", in.Command.CommandName())
		}
	})
	for name := range commandDecoders {
		if !seen[name] {
			t.Errorf("%s has no valid example", name)
		}
	}
}

// TestFingerprint checks W10: the same command written differently has the same fingerprint, and a
// command with other data has a different one.
func TestFingerprint(t *testing.T) {
	parse := func(name CommandName, data string) string {
		d, r := parseCommand(name, data)
		if r != nil {
			t.Fatalf("%s %s: %v", name, data, r)
		}
		return Fingerprint(d)
	}
	a := parse(CmdSubmitRequest, `{"text":"x","constraints":{"a":1,"b":[true]}}`)
	if b := parse(CmdSubmitRequest, ` { "constraints":{"b":[true],"a":1.0},"attachments":[], "text":"\u0078","later":1}`); a != b {
		t.Error("the same command, spelled differently, has another fingerprint")
	}
	if b := parse(CmdSubmitRequest, `{"text":"x","constraints":{"a":2,"b":[true]}}`); a == b {
		t.Error("other constraints have the same fingerprint")
	}
	if parse(CmdPauseProject, `{"project_id":"proj_a"}`) == parse(CmdResumeProject, `{"project_id":"proj_a"}`) {
		t.Error("another command has the same fingerprint")
	}
	if parse(CmdStopAgent, `{"agent_id":"agent_a"}`) == parse(CmdKillAgent, `{"agent_id":"agent_a"}`) {
		t.Error("another agent command has the same fingerprint")
	}
}

func parseCommand(name CommandName, data string) (CommandData, *Refusal) {
	in, r := Parse(fmt.Appendf(nil, `{"type":"command","id":"msg_1","ts":1700000000000,"v":1,"payload":{"name":%q,"data":%s}}`, name, data))
	return in.Command, r
}

// TestParseCommand checks that a refusal names the invalid member.
func TestParseCommand(t *testing.T) {
	for _, c := range []struct {
		name        CommandName
		data, field string
	}{
		{CmdResolveDecision, `{"decision_id":"dec_1"}`, "payload.data.choice"},
		{CmdResolveDecision, `{"decision_id":"dec_1","choice":" "}`, "payload.data.choice"},
		{CmdSplitIntoTasks, `{"artifact_id":"art_1","task_titles":["a",""]}`, "payload.data.task_titles.1"},
		{CmdMovePlayerTo, `{}`, "payload.data"},
		{CmdMovePlayerTo, `null`, "payload.data"},
		{"fly", `{}`, "payload.name"},
	} {
		_, r := parseCommand(c.name, c.data)
		if r == nil || r.Code != CodeValidationFailed || r.Field != c.field || r.Message == "" {
			t.Errorf("%s %s: %+v, want field %q", c.name, c.data, r, c.field)
		}
	}
}

func BenchmarkParseSubmitRequest(b *testing.B) {
	raw := []byte(submitRequest)
	b.ReportAllocs()
	for b.Loop() {
		if _, r := Parse(raw); r != nil {
			b.Fatal(r)
		}
	}
}
