package server

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/view"
)

// capture is a recorded session of a vendor's program, as a list of hooks. It runs a command, edits a
// text file, and ends.
type capture struct {
	source, file, session string
	command, text         string // the command and the file in the recording
	place                 string
}

var captures = []capture{
	{"claude", "../agents/claude/translate/testdata/hooks.jsonl", "ac71de37-4aee-4961-8340-fa7226ffd1c5", "echo hi; sleep 0.2; ls", "new.txt", "/home/dev/shop"},
	{"gemini", "../agents/gemini/testdata/hooks.jsonl", "963f09d8", "cat hello.txt", "gem.txt", "/home/dev/code/projF"},
}

// play posts the hooks of a recording, except permission requests, which wait for an answer.
// command and file replace those in the recording.
func (r *rig) play(c capture, command, file string) {
	r.t.Helper()
	data, err := os.ReadFile(c.file)
	if err != nil {
		r.t.Fatal(err)
	}
	quoted, err := json.Marshal(command)
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var rec struct {
			Body    jsontext.Value `json:"body"`
			Session string         `json:"session_id"`
			Event   string         `json:"hook_event_name"`
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			r.t.Fatal(err)
		}
		body := string(line)
		if rec.Body != nil {
			if body = string(rec.Body); json.Unmarshal(rec.Body, &rec) != nil {
				r.t.Fatal(body)
			}
		}
		if rec.Event == "PermissionRequest" || !strings.HasPrefix(rec.Session, c.session) {
			continue
		}
		body = strings.ReplaceAll(strings.ReplaceAll(body, `"`+c.command+`"`, string(quoted)), c.text, file)
		r.hook(c.source, body)
	}
}

func (r *rig) hook(source, body string) {
	r.t.Helper()
	if status, answer := r.post("/hooks/"+source, body, asJSON); status/100 != 2 {
		r.t.Fatalf("%d %s for %s", status, answer, body)
	}
}

// guestOf waits until a source's only guest is recorded with an activity, and returns it.
func (r *rig) guestOf(source string, activity contracts.Activity) (a contracts.Agent) {
	r.t.Helper()
	r.untilTrue(source+" is "+string(activity), func() bool {
		list := r.view.State().Agents
		i := slices.IndexFunc(list, func(a contracts.Agent) bool { return a.Source == source && a.ParentID == "" && a.Activity == activity })
		if i >= 0 {
			a = list[i]
		}
		return i >= 0
	})
	return a
}

// needs returns the entries of GET /v1/needs.
func (r *rig) needs() []view.Need {
	r.t.Helper()
	var list struct {
		Needs []view.Need `json:"needs"`
	}
	status, body, _ := r.get("/v1/needs", "")
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK {
		r.t.Fatalf("%d %s", status, body)
	}
	return list.Needs
}

// A recorded session that edits code after its last check is listed in the inbox when it ends. The
// entry outlives the guest and a restart, until a person dismisses it.
func TestUncheckedSessionIsListed(t *testing.T) {
	for _, c := range captures {
		t.Run(c.source, func(t *testing.T) {
			clock := &later{}
			cfg := Config{Crew: CrewNone, DataDir: t.TempDir(), Now: clock.now, Unchecked: true}
			r := startRig(t, cfg)
			r.play(c, "go test ./...", "main.go")
			who := r.guestOf(c.source, contracts.ActivityOffline)
			if e := r.explain(who.AgentID); e.Checked == nil || e.Checked.State != contracts.EditsStale || e.Checked.DoneAt == 0 || e.Checked.Check.What != "go test ./..." {
				t.Errorf("explained as %+v", e.Checked)
			}
			list := r.needs()
			if len(list) != 1 || list[0].Kind != model.NeedUnchecked || list[0].AgentID != who.AgentID || list[0].Title != "The session ended after an edit that `go test ./...` did not cover." {
				t.Fatalf("the inbox lists %+v", list)
			}
			d := r.decision("/v1/decisions/" + list[0].Ref)
			if s := d.Session; s == nil || s.Agent.Place != c.place || s.Checked.State != contracts.EditsStale || !strings.HasSuffix(s.Checked.Edit.What, "main.go") || s.Checked.DoneAt < s.Checked.Edit.At {
				t.Errorf("%+v", d.Session)
			}
			clock.pass(r, contracts.OfflineGuestStay+time.Minute, "ann")
			r.untilTrue("the guest has left", func() bool {
				return !slices.ContainsFunc(r.view.State().Agents, func(a contracts.Agent) bool { return a.AgentID == who.AgentID })
			})
			r.stop()

			r = startRig(t, cfg)
			if list := r.needs(); len(list) != 1 || list[0].Name != who.Name {
				t.Fatalf("after a restart the inbox lists %+v", list)
			}
			v := r.dial(cfg.ownerToken(t))
			v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: contracts.OptionDismiss})
			v.until("ack")
			if list := r.needs(); len(list) != 0 {
				t.Errorf("after it was dismissed the inbox lists %+v", list)
			}
		})
	}
}

// Sessions that edit only prose are not listed, and no session is listed if the operator turned
// this off.
func TestSessionIsNotListed(t *testing.T) {
	for _, c := range captures {
		for name, test := range map[string]struct {
			on   bool
			file string
		}{"prose": {true, c.text}, "off": {false, "main.go"}} {
			t.Run(c.source+" "+name, func(t *testing.T) {
				r := startRig(t, Config{Crew: CrewNone, Unchecked: test.on})
				r.play(c, "go test ./...", test.file)
				if who := r.guestOf(c.source, contracts.ActivityOffline); who.Checked == nil {
					t.Error("no edit was seen")
				}
				if list := r.needs(); len(list) != 0 {
					t.Errorf("the inbox lists %+v", list)
				}
			})
		}
	}
}

// An inbox entry is removed when its session continues, or when a check passes in the session's
// folder, even in another session.
func TestUncheckedSessionIsSettled(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone, Unchecked: true})
	c := captures[0]
	session := func(id, event, more string) {
		r.hook("claude", `{"session_id":"`+id+`","prompt_id":"p","cwd":"`+c.place+`","hook_event_name":"`+event+`"`+more+`}`)
	}
	r.play(c, "go test ./...", "main.go")
	r.guestOf("claude", contracts.ActivityOffline)
	if list := r.needs(); len(list) != 1 {
		t.Fatalf("the inbox lists %+v", list)
	}
	session(c.session, "UserPromptSubmit", `,"prompt":"go on"`)
	r.untilTrue("the session continues", func() bool { return len(r.needs()) == 0 })
	session(c.session, "Stop", "")
	session(c.session, "SessionEnd", `,"reason":"prompt_input_exit"`)
	r.untilTrue("the session ends again", func() bool { return len(r.needs()) == 1 })

	const call = `,"tool_name":"Bash","tool_use_id":"toolu_9","tool_input":{"command":"go test ./..."}`
	session("another", "UserPromptSubmit", `,"prompt":"test it"`)
	session("another", "PreToolUse", call)
	session("another", "PostToolUse", call+`,"tool_response":{"stdout":"ok","stderr":"","interrupted":false}`)
	r.untilTrue("the check passes", func() bool { return len(r.needs()) == 0 })
}
