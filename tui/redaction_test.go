package tui

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/tui/link"
)

// TestRedaction checks that text requested before a redaction is dropped, even if the response
// arrives later, and that an open deliverable is loaded again.
func TestRedaction(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atEnd)(s)
	var ids []string
	tell := func(text string) {
		for _, id := range ids {
			s.conn.texts["/v1/artifacts/"+id+"/content"] = text
		}
	}
	for _, a := range s.office.Rows().Artifacts {
		ids = append(ids, a.ArtifactID)
	}
	tell("a secret")
	s.run(s.openArtifact(ids[0]), 0)
	s.says("a secret")
	open := s.screen().(*artifactScreen)
	delete(open.read, ids[1])
	late := open.load(ids[1])().(doneMsg) // responds after the reset
	s.tell(link.Update{Reset: true})
	s.update(late)
	tell("[redacted]")
	s.play("first_minute.jsonl", atEnd)
	s.says("[redacted]")
	s.keys("]", "D")
	s.says("v2", "[redacted]")
}

// TestRedactionOfActivity checks that a redaction drops results that were loaded in full.
func TestRedactionOfActivity(t *testing.T) {
	s := newStage(t, 120, 30)
	coding(s, "a")
	s.activityScreen().whole["call_1"] = wholeResult{result: jsontext.Value(`{"stdout":"a secret"}`)}
	s.dialog = &pageDialog{app: s.app, lines: func(int) []string { return []string{"a secret"} }}
	s.openWork(&workScreen{title: "Result", of: func() string { return "secret" }, doc: func() (d workDoc) { d.text("a secret", s.look.plain); return d }})
	s.tell(link.Update{Reset: true})
	if len(s.activityScreen().whole) != 0 {
		t.Error("a full result is kept")
	}
	if frame := s.shown(); strings.Contains(frame, "secret") {
		t.Errorf("the frame shows erased text:\n%s", frame)
	}
}
