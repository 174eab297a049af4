//go:build unix

package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// clientBeat is the keep-alive interval for a waiting client.
const clientBeat = 20 * time.Millisecond

// actor plays an agent for the clients' scenarios until the test ends. It records prompts
// and cancelled turns.
type actor struct {
	*peer
	life  int
	held  chan message // prompts to answer when the other agent is prompted
	notes chan string
}

func newActor(t *testing.T, addr, token string) *actor {
	t.Helper()
	a := &actor{peer: newPeer(t, addr, token, "dev::*", "p0"), held: make(chan message, 1), notes: make(chan string, 64)}
	aside := newPeer(t, addr, token, "aside::*", "p0")
	go a.play()
	go func() {
		for f := range aside.received {
			a.reply(<-a.held, "Here.", true)
			aside.reply(f, "Gladly.", true)
		}
	}()
	return a
}

func (a *actor) play() {
	for f := range a.received {
		switch f.str("type") {
		case "cancel":
			a.notes <- "cancel"
		case "inbound":
			a.notes <- f.str("content")
			a.answer(f)
		}
	}
	close(a.notes)
}

func (a *actor) answer(f message) {
	text := f.str("content")
	if _, last, ok := strings.Cut(text, "\nThis is the new message; answer it now:\n\n"); ok {
		text = last
	}
	switch text {
	case "Who am I?", "And now?": // the whole conversation is sent to the agent
		a.reply(f, "You are the one who asks. ", true)
	case "Count to three.":
		a.reply(f, "One", false)
		a.reply(f, ", two", false)
		a.reply(f, ", three.", true)
	case "Stumble.":
		a.reply(f, "Well", false)
		a.life++ // from here on, another program answers
		a.say(message{"type": "hello", "openclaw_session": "dev::*", "claude_session": fmt.Sprintf("p%d", a.life)})
	case "Hold on.":
		a.reply(f, "Well", false)
	case "Take your time.":
		a.held <- f
	}
}

// awaitNote waits until the agent has received this prompt or, for "cancel", the cancellation of a turn.
func (a *actor) awaitNote(want string) {
	a.t.Helper()
	for end := time.After(testTimeout); ; {
		select {
		case got := <-a.notes:
			if got == want {
				return
			}
		case <-end:
			a.t.Fatalf("the agent never got %q", want)
		}
	}
}

// awaitNoteWith waits until the agent has received one prompt that contains all of these strings.
func (a *actor) awaitNoteWith(want ...string) {
	a.t.Helper()
	for end := time.After(testTimeout); ; {
		select {
		case got := <-a.notes:
			if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(got, w) }) {
				return
			}
		case <-end:
			a.t.Fatalf("the agent never got %q", want)
		}
	}
}

// clients maps client programs to the errors that they throw when the agent disconnects during a
// turn, when the model is unknown, and when the key is invalid.
var clients = map[string]struct{ broken, unknown, refused string }{
	"openai":    {"APIError", "NotFoundError", "AuthenticationError"},
	"langchain": {"APIError", "NotFoundError", "AuthenticationError"},
	"ai-sdk":    {"StreamProviderError", "APICallError", "APICallError"},
	"go":        {"StreamError", "Error", "Error"},
}

// B1: widely used clients stream, read whole responses, and throw their documented errors. One
// failure does not affect the next turn.
func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	for client, throws := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			d := startOpenAI(t, server.Config{Staff: staff.Staff{Bridge: staff.Bridge{Heartbeat: clientBeat}}})
			a := newActor(t, d.addr, owner(t, d.data))
			seen := d.play(client, "bullpen/dev", "unknown", "broken", "aborted", "quiet", "whole", "tools", "stream", "conversation")
			for _, scenario := range []string{"stream", "whole", "tools"} {
				got := seen[scenario]
				if got.Error != nil || got.Text != "One, two, three." || got.Finish != "stop" || !slices.Equal(got.Roles, []string{"assistant"}) {
					t.Errorf("%s: %+v %+v", scenario, got, got.Error)
				}
			}
			if got := seen["stream"].Usage; got != nil && *got == 0 {
				t.Error("unreported usage is shown as zero")
			}
			if got := seen["quiet"]; got.Error != nil || got.Text != "Here." || client == "openai" && got.Beats < 5 {
				t.Errorf("a waiting caller: %+v %+v", got, got.Error)
			}
			if got := seen["broken"]; got.Text != "Well" || !got.threw(throws.broken, 0, "server_error", "agent_disconnected") {
				t.Errorf("an agent that disconnected: %+v %+v", got, got.Error)
			}
			if got := seen["unknown"]; !got.threw(throws.unknown, http.StatusNotFound, "invalid_request_error", "model_not_found") {
				t.Errorf("an unknown model: %+v", got.Error)
			}
			if got := seen["aborted"]; got.Text != "Well" {
				t.Errorf("a caller that cancels: %+v %+v", got, got.Error)
			}
			a.awaitNote("cancel")
			if got := seen["conversation"]; got.Error != nil || len(got.Texts) != 2 {
				t.Errorf("a conversation: %+v %+v", got, got.Error)
			}
			a.awaitNoteWith("Be brief.", "Who am I?") // first, the whole conversation
			a.awaitNote("And now?")                   // then only the new message
		})
	}
}

// If the office requires a token, only a Bullpen token works. A crew member answers, and every crew
// member is listed as a model.
func TestOpenAIClientsNeedAToken(t *testing.T) {
	t.Parallel()
	for client, throws := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			d := startOpenAI(t, server.Config{RequireToken: true})
			if got := d.play(client, "bullpen/agent_bd", "refused")["refused"]; !got.threw(throws.refused, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key") {
				t.Errorf("%+v %+v", got, got.Error)
			}
			d.key = owner(t, d.data)
			for scenario, got := range d.play(client, "bullpen/agent_bd", "stream", "whole") {
				if got.Error != nil || got.Text == "" || got.Finish != "stop" {
					t.Errorf("%s: %+v %+v", scenario, got, got.Error)
				}
				if len(got.Models) > 0 && !slices.Contains(got.Models, "bullpen/agent_bd") {
					t.Errorf("the models are %q", got.Models)
				}
			}
		})
	}
}
