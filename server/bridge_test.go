package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// B1: the OpenAI API works without configuration: a crew member answers, and the turn is
// recorded.
func TestCrewAnswersTheOpenAIAPI(t *testing.T) {
	r := startRig(t, Config{})
	status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_bd","messages":[{"role":"user","content":"What is going on?"}]}`)
	if status != http.StatusOK || !strings.Contains(body, `"role":"assistant"`) || strings.Contains(body, `"content":""`) {
		t.Fatalf("%d %s", status, body)
	}
	recs, err := r.ledger.Read(t.Context(), 0, contracts.LimitEventsPage, contracts.KindHUD)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for i := range recs {
		b, err := recs[i].Decode()
		if err != nil {
			t.Fatal(err)
		}
		if h := b.(*contracts.HUD); strings.HasPrefix(h.Session, "bridge:") {
			seen = append(seen, string(h.Event))
			if h.AgentID != "agent_bd" || !strings.HasPrefix(h.Session, "bridge:agent_bd::~") {
				t.Errorf("%+v", h)
			}
		}
	}
	if n := len(seen); n < 3 || seen[0] != "received" || seen[1] != "turn_start" || seen[n-1] != "turn_end" {
		t.Errorf("recorded %q", seen)
	}
	if status, body := r.post("/v1/chat/completions", `{"model":"nobody","messages":[{"role":"user","content":"x"}]}`); status != http.StatusNotFound || !strings.Contains(body, "model_not_found") {
		t.Errorf("%d %s", status, body)
	}
	_, body, _ = r.get("/v1/models", "")
	if !strings.Contains(body, `"bullpen/agent_bd"`) || !strings.Contains(body, `"object":"list"`) {
		t.Errorf("%s", body)
	}
	r.view.Look(func(w *world.World) {
		if len(w.Guests()) != 0 {
			t.Error("a crew member joined as a guest")
		}
	})
}

// Crew members never answer only part of a question: they refuse a question that is too long.
func TestCrewRefusesTooLongQuestions(t *testing.T) {
	r := startRig(t, Config{})
	status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_bd","messages":[{"role":"user","content":"`+strings.Repeat("x", contracts.LimitChatText+1)+`"}]}`)
	if status != http.StatusBadRequest || !strings.Contains(body, "context_length_exceeded") || !strings.Contains(body, "4000") {
		t.Errorf("%d %s", status, body)
	}
}
