package tui

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// shownWords is a line of testdata/ui_words.jsonl: one conformance vector for workflow events
// (hud/ui/testdata) with the words that the browser shows for it.
// web/src/overlay/frame/vectors.test.tsx writes the file and tests the browser against it, so that
// both clients show the same words.
type shownWords struct {
	ID     string         `json:"id"`
	Item   jsontext.Value `json:"item"`
	Status string         `json:"status"`
	Far    string         `json:"far"`
	Head   string         `json:"head"`
	Text   string         `json:"text"`
}

// TestVectorsMatchTheBrowser checks U1: for every vector, the terminal computes and shows the same
// words as the browser.
func TestVectorsMatchTheBrowser(t *testing.T) {
	data, err := os.ReadFile("testdata/ui_words.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range bytes.Lines(data) {
		var want shownWords
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		s := newStage(t, 120, 40)
		s.live(true)
		s.tellItem(want.Item)
		got := s.words()
		if got.ID, got.Item = want.ID, want.Item; got.Status != want.Status || got.Far != want.Far || got.Head != want.Head || got.Text != want.Text {
			t.Errorf("%s\nthe terminal: %+q\nthe browser:  %+q", want.ID, got, want)
		}
		frame := s.shown()
		for _, part := range []string{want.Status, want.Far, want.Head} {
			if part = model.Line(part); !strings.Contains(frame, part) {
				t.Errorf("%s: the frame does not show %q:\n%s", want.ID, part, frame)
			}
		}
		for _, part := range wrapped(want.Text, 116, noticeLines) {
			if part = strings.TrimRight(part, " "); !strings.Contains(frame, part) {
				t.Errorf("%s: the frame does not show %q:\n%s", want.ID, part, frame)
			}
		}
		wellFormed(t, s)
		seen++
	}
	if seen < 100 {
		t.Errorf("only %d vectors", seen)
	}
}

// tellItem sends a normalized event from Ada, with an open decision if the event is a question.
func (s *stage) tellItem(item jsontext.Value) {
	s.t.Helper()
	var head struct {
		Kind contracts.UIKind `json:"kind"`
	}
	if err := json.Unmarshal(item, &head); err != nil {
		s.t.Fatal(err)
	}
	ts := s.now.UnixMilli()
	u := &contracts.UI{AgentID: "agent_ada", Name: "abstract." + string(head.Kind), Kind: head.Kind, Normalized: item, Raw: jsontext.Value("{}")}
	if head.Kind == contracts.UIAsk {
		u.DecisionID = "dec_a"
	}
	snap := &contracts.Snapshot{Seq: 1, Agents: []contracts.Agent{{AgentProfile: contracts.AgentProfile{AgentID: "agent_ada", Name: "Ada"}}},
		Decisions: []contracts.Decision{{DecisionID: "dec_a", Status: contracts.DecisionOpen, Prompt: "?", Options: []string{"Yes"}}}}
	s.tell(link.Update{Messages: []model.Message{
		{Type: contracts.TypeSnapshot, ID: "snap_1", TS: ts, Seq: 1, Payload: snap},
		{Type: contracts.MessageType(contracts.KindUI), ID: "ui_2", TS: ts, Seq: 2, Payload: u},
	}})
}

// words returns the status and the message that the bulletin shows now.
func (s *stage) words() (w shownWords) {
	rows := s.office.Rows()
	for _, one := range s.shownStatuses() {
		w.Status, w.Far = statusWords(rows, &one)
	}
	for _, one := range s.shownNotices() {
		w.Head, w.Text = noticeHead(rows, &one), noticeText(&one)
	}
	return w
}
