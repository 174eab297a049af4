package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

const subagent = "projects/-home-dev-shop/" + recorded + "/subagents/agent-" + helper

// turn returns the transcript rows of a short turn; n is the number of the turn.
func turn(n int, at time.Time) string {
	stamp := at.UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"type":"user","promptId":"p%[1]d","uuid":"u%[1]d","timestamp":"%[2]s","cwd":"/home/dev/shop","message":{"content":"prompt %[1]d"}}
{"type":"assistant","uuid":"a%[1]d","timestamp":"%[2]s","message":{"id":"m%[1]d","model":"claude-x","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}}
{"type":"system","subtype":"turn_duration","timestamp":"%[2]s"}
`, n, stamp)
}

// counted counts facts by event, and fails the test if a fact appears twice.
func counted(t *testing.T, list []contracts.HUD) map[contracts.HUDEvent]int {
	t.Helper()
	n, seen := map[contracts.HUDEvent]int{}, map[string]bool{}
	for _, h := range list {
		if seen[h.UUID] {
			t.Errorf("%s %s was recorded twice", h.Event, h.CorrelationID)
		}
		seen[h.UUID] = true
		n[h.Event]++
	}
	return n
}

// When hooks and the transcript report the same session concurrently, the ledger contains one
// agent and each fact once; the agent is the parent of its sub-agent.
func TestHookAndTranscriptCountOnce(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		rows := strings.SplitAfter(fixture(t, "transcript.jsonl"), "\n")
		path := r.write(transcript, "")
		r.write(subagent+".meta.json", fixture(t, "subagent.meta.json"))
		r.write(subagent+".jsonl", fixture(t, "subagent.jsonl"))
		for i, body := range recordedHooks(t) {
			if i < len(rows) {
				r.appendTo(path, rows[i])
			}
			r.post(body)
			time.Sleep(300 * time.Millisecond)
		}
		r.appendTo(path, strings.Join(rows[len(recordedHooks(t)):], ""))
		r.settle()
		both := counted(t, r.hud())
		want := map[contracts.HUDEvent]int{
			contracts.HUDReceived: 9, contracts.HUDTurnStart: 9, contracts.HUDTurnEnd: 9, contracts.HUDToolStart: 17, contracts.HUDToolEnd: 17,
			contracts.HUDThinkStart: 1, contracts.HUDThinkEnd: 1,
		}
		if fmt.Sprint(both) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", both, want)
		}
		people := map[string]bool{}
		for _, h := range r.hud() {
			people[h.AgentID] = true
		}
		if len(people) != 2 || !people[translate.AgentID(recorded, "")] || !people[translate.AgentID(recorded, helper)] {
			t.Errorf("%v", people)
		}
		if reports := r.reports(); reports != 22 {
			t.Errorf("%d messages were counted", reports)
		}
	})
}

// No hook reports the end of a call that Claude Code blocks, and a headless session is over before
// its transcript is read. The call still ends before its turn, with the reason from the transcript.
func TestBlockedCallOfAHeadlessSession(t *testing.T) {
	for name, c := range map[string]struct{ appended, want string }{
		"in the transcript": {
			`{"type":"user","uuid":"u","promptId":"p","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"touch was blocked"}]}}` + "\n", "touch was blocked"},
		"not in the transcript": {"", "the session ended"},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, r *rig) {
				r.write(transcript, "")
				r.settle()
				for _, hook := range []string{
					`"hook_event_name":"UserPromptSubmit","prompt":"go","bullpen_pid":4711`, `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"touch x"},"tool_use_id":"c1"`,
					`"hook_event_name":"Stop"`, `"hook_event_name":"SessionEnd","reason":"other"`,
				} {
					r.post(`{"session_id":"` + recorded + `","prompt_id":"p",` + hook + `}`)
				}
				r.mu.Lock()
				r.dead[4711] = true
				r.mu.Unlock()
				time.Sleep(scanInterval)
				r.appendTo(filepath.Join(r.dir, transcript), c.appended)
				r.settle()
				var ends []string
				for _, h := range r.hud() {
					if h.Event == contracts.HUDToolEnd || h.Event == contracts.HUDTurnEnd {
						ends = append(ends, string(h.Event)+string(h.Result))
					}
				}
				if len(ends) != 2 || !strings.HasPrefix(ends[0], "tool_end") || !strings.Contains(ends[0], c.want) || ends[1] != "turn_end" {
					t.Errorf("%q", ends)
				}
			})
		})
	}
}

// Sessions on disk appear without configuration. Events before the start of the office are marked
// as replay, and only the last facts of a long session are reported.
func TestHistoryReportsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var story strings.Builder
		for n := range 600 {
			story.WriteString(turn(n, time.Now().Add(-30*time.Minute).Add(time.Duration(n)*time.Second)))
		}
		path := writeFile(t, filepath.Join(dir, "claude", transcript), story.String())
		old := writeFile(t, filepath.Join(dir, "claude/projects/x/old.jsonl"), turn(1, time.Now()))
		if err := os.Chtimes(old, time.Now(), time.Now().Add(-2*contracts.SessionFreshness)); err != nil {
			t.Fatal(err)
		}
		r := openRig(t, dir)
		defer r.stop()
		r.settle()
		list := r.hud()
		if len(list) != limitHistory {
			t.Errorf("%d facts of history", len(list))
		}
		for _, h := range list {
			if !h.Replay || h.At == 0 || h.Session != "claude:"+recorded {
				t.Fatalf("%+v", h)
			}
		}
		if n := r.reports(); n != 600 { // usage counts, no matter how old it is
			t.Errorf("%d reports of usage", n)
		}
		r.appendTo(path, turn(1000, time.Now()))
		r.settle()
		live := r.hud()[limitHistory:]
		if counted(t, live)[contracts.HUDTurnEnd] != 1 || live[0].Replay {
			t.Errorf("%+v", live)
		}
	})
}

// If lines arrive in pieces, are too long, malformed or not valid UTF-8, or if files are truncated or
// replaced while they are read, reading continues and nothing is recorded twice.
func TestHostileTranscriptStopsNothing(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		path := r.write(transcript, turn(1, time.Now()))
		r.settle()
		turns := func() int { t.Helper(); r.settle(); return counted(t, r.hud())[contracts.HUDTurnEnd] }
		if turns() != 1 {
			t.Error("the first turn is missing")
		}
		second := turn(2, time.Now())
		r.appendTo(path, second[:37])
		if turns() != 1 {
			t.Error("half a line was read")
		}
		r.appendTo(path, second[37:]+"not json\n{\"type\":\"user\",\"message\":5}\n\n"+"{\"type\":\"user\",\"promptId\":\"bad\",\"message\":{\"content\":\"a\xffb\"}}\n")
		if turns() != 2 || r.lines(lineUnread) != 1 || !strings.Contains(r.log.String(), "member=/message") {
			t.Errorf("%v lines could not be read; %s", r.lines(lineUnread), r.log.String())
		}
		giant := strings.Repeat("x", contracts.LimitTranscriptLine/2)
		r.appendTo(path, `{"type":"user","pad":"`+giant)
		r.settle()
		r.appendTo(path, giant+giant) // too long, and incomplete
		r.settle()
		r.appendTo(path, giant+"\"}\n"+turn(3, time.Now()))
		if turns() != 4 || r.lines(lineTooLong) != 1 { // the third turn, and the turn whose prompt is not valid UTF-8
			t.Errorf("%d turns, %v lines too long", turns(), r.lines(lineTooLong))
		}
		writeFile(t, path, turn(1, time.Now())+turn(4, time.Now())) // truncated and rewritten
		if turns() != 5 {
			t.Error("the turn after the truncation is missing")
		}
		replaced := writeFile(t, path+".new", turn(1, time.Now())+turn(4, time.Now())+turn(5, time.Now())+turn(6, time.Now()))
		if err := os.Rename(replaced, path); err != nil {
			t.Fatal(err)
		}
		if turns() != 7 {
			t.Error("the turn after the rotation is missing")
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if turns() != 7 {
			t.Error("activity in a file that is gone")
		}
	})
}

// A2: a row with a time in the future counts as now, and does not affect the times of other rows.
func TestRowFromTheFutureCountsAsNow(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		path := r.write(transcript, turn(1, time.Now()))
		r.settle()
		before := len(r.hud())
		r.appendTo(path, turn(2, time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC))+`{"type":"user","promptId":"p3","uuid":"u3","timestamp":"soon","message":{"content":"and then"}}`+"\n")
		r.settle()
		list := r.hud()[before:]
		if counted(t, list)[contracts.HUDTurnStart] != 2 {
			t.Errorf("%+v", list)
		}
		for _, h := range list {
			if h.At > time.Now().UnixMilli() {
				t.Errorf("%s %s happened at %d", h.Event, h.CorrelationID, h.At)
			}
		}
	})
}

// A running session's note lets the session join before it has written a transcript, and shows that
// the session is waiting. A dead process's note is ignored.
func TestNoteLetsASessionJoin(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.dead[99] = true
		r.write("sessions/99.json", `{"pid":99,"sessionId":"dead","cwd":"/x","status":"busy"}`)
		r.write("sessions/98.json", "{")
		note := r.write("sessions/15553.json", fixture(t, "session.json"))
		r.settle()
		e, ok := r.roster.Explain(translate.AgentID(recorded, ""))
		if !ok || e.Activity != contracts.ActivityWaiting || e.PID != 15553 {
			t.Errorf("%+v", e)
		}
		if _, ok := r.roster.Explain(translate.AgentID("dead", "")); ok {
			t.Error("a dead process joined")
		}
		writeFile(t, note, strings.ReplaceAll(fixture(t, "session.json"), recorded, "another"))
		if err := os.Chtimes(note, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
		r.settle()
		if _, ok := r.roster.Explain(translate.AgentID("another", "")); !ok {
			t.Error("the terminal's next conversation is not in the office")
		}
		if _, ok := r.roster.Explain(translate.AgentID(recorded, "")); ok {
			t.Error("the previous one is still there")
		}
	})
}

// A note that was read while it was incomplete is read again, even if its modification time did not
// change.
func TestIncompleteNoteIsReadAgain(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		for _, text := range []string{"", fixture(t, "session.json")} {
			note := r.write("sessions/15553.json", text)
			if err := os.Chtimes(note, time.Now(), time.Unix(1_700_000_000, 0)); err != nil {
				t.Fatal(err)
			}
			r.settle()
		}
		if _, ok := r.roster.Explain(translate.AgentID(recorded, "")); !ok {
			t.Error("the session is not in the office")
		}
	})
}

// After a restart, open turns and calls end once, by later events or by a timeout, and an agent
// that reappears is reported as reconnected.
func TestOpenTurnEndsOnceAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := openRig(t, dir)
		start := `{"session_id":"%s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_use_id":"c_%[1]s"}`
		for _, s := range []string{"back", "lost"} {
			r.post(fmt.Sprintf(start, s))
		}
		r.stop()
		r = openRig(t, dir)
		defer func() { r.stop() }()
		r.post(strings.ReplaceAll(fmt.Sprintf(start, "back"), "PreToolUse", "PostToolUse"))
		r.post(`{"session_id":"back","prompt_id":"p","hook_event_name":"Stop"}`)
		r.settle()
		n := counted(t, r.hud())
		if n[contracts.HUDToolStart] != 2 || n[contracts.HUDToolEnd] != 1 || n[contracts.HUDTurnStart] != 2 || n[contracts.HUDTurnEnd] != 1 || n[contracts.HUDReceived] != 1 {
			t.Errorf("after the restart: %v", n)
		}
		time.Sleep(contracts.SilenceTool)
		r.settle()
		list := r.hud()
		n = counted(t, list)
		if n[contracts.HUDToolEnd] != 2 || n[contracts.HUDTurnEnd] != 2 || n[contracts.HUDReceived] != 1 {
			t.Errorf("after the silence: %v", n)
		}
		if end := list[len(list)-1]; !strings.Contains(string(end.Result), "its end was not seen") {
			t.Errorf("%+v", end)
		}
	})
}

// A transcript that is rewritten in place is detected by its content, even if its length stays the
// same or grows.
func TestRewrittenTranscriptIsDetected(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		path := r.write(transcript, turn(1, time.Now()))
		r.settle()
		for _, story := range []string{turn(2, time.Now()), turn(333333, time.Now()) + turn(4, time.Now())} {
			writeFile(t, path, story) // keeps the inode
			if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
				t.Fatal(err)
			}
			r.settle()
		}
		prompts := map[string]bool{}
		for _, h := range r.hud() {
			if h.Event == contracts.HUDTurnStart {
				prompts[h.CorrelationID] = true
			}
		}
		if len(prompts) != 4 || r.lines(lineUnread) != 0 {
			t.Errorf("%v, %v lines cut in the middle", prompts, r.lines(lineUnread))
		}
		if n := counted(t, r.hud()); n[contracts.HUDTurnEnd] != 4 {
			t.Errorf("%v", n)
		}
	})
}

// An open turn is ended when its transcript is replaced by a new file.
func TestTurnOfARotatedTranscriptEnds(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		begin, _, _ := strings.Cut(turn(1, time.Now()), "\n")
		path := r.write(transcript, begin+"\n")
		r.settle()
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		r.write(transcript, turn(2, time.Now()))
		r.settle()
		if n := counted(t, r.hud()); n[contracts.HUDTurnStart] != 2 || n[contracts.HUDTurnEnd] != 2 {
			t.Errorf("%v", n)
		}
	})
}
