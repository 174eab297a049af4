package view_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// Orders are delivered, oldest first, to the reader of their agent's source, including orders from
// before the reader started. Reported activity is not an order.
func TestOrdersBySource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.run()
		r.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_scout", Name: "scout", Source: contracts.SourceBridge, Session: "bridge:scout::default"}})
		say := func(n int, to string) {
			r.do(fmt.Sprint("say", n), contracts.Say{Text: fmt.Sprint("message ", n), To: to})
		}
		say(1, "agent_scout")
		say(2, "agent_eng")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var mu sync.Mutex
		got := map[string][]string{}
		for _, source := range []string{"", contracts.SourceBridge, "claude"} {
			go func() {
				_ = r.Orders(ctx, source, func(rec contracts.Record) error {
					body, err := rec.Decode()
					mu.Lock()
					defer mu.Unlock()
					switch b := body.(type) {
					case *contracts.Chat:
						got[source] = append(got[source], b.Text)
					case *contracts.HUD:
						got[source] = append(got[source], b.Subtype)
					}
					return err
				})
			}()
		}
		synctest.Wait()
		say(3, "agent_scout")
		r.do("new", contracts.AgentControl{Name: contracts.CmdNewSession, AgentID: "agent_scout"})
		r.tell(contracts.HUDSeen{HUD: contracts.HUD{UUID: contracts.DerivedUUID("x"), Event: contracts.HUDReceived, Subtype: "stop", AgentID: "agent_scout", Session: "bridge:scout::default", Label: "stop"}})
		synctest.Wait()
		if got := fmt.Sprint(got); got != "map[:[message 2] bridge:[message 1 message 3 new_session]]" {
			t.Errorf("got %s", got)
		}
	})
}

// A reader that is too slow for its own source gets an error; the view and the readers of other
// sources continue.
func TestOrdersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.run()
		ended, other, held := make(chan error, 1), make(chan error, 1), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			ended <- r.Orders(ctx, "", func(contracts.Record) error { <-held; return nil })
		}()
		go func() {
			other <- r.Orders(ctx, contracts.SourceBridge, func(contracts.Record) error { <-held; return nil })
		}()
		r.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_scout", Name: "scout", Source: contracts.SourceBridge, Session: "bridge:scout::default"}})
		r.do("scout", contracts.Say{Text: "Hello", To: "agent_scout"})
		for i := range contracts.LimitOrders + 2 {
			r.do(fmt.Sprint("n", i), contracts.Say{Text: "Hello", To: contracts.AgentBD})
			if seq := r.pendingChat(contracts.AgentBD); seq > 0 {
				r.tell(contracts.ChatSaid{Chat: contracts.Chat{From: contracts.AgentBD, Text: "Hi", AnswersSeq: seq}})
			}
			if i == 0 {
				synctest.Wait() // the reader is handling the first order
			}
		}
		close(held)
		if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
		cancel()
		if err := <-other; !errors.Is(err, context.Canceled) {
			t.Errorf("the reader of another source ended with %v", err)
		}
	})
}

// Erased text is not kept for order readers, and the readers keep their positions.
func TestOrdersDropErasedText(t *testing.T) {
	r := newRig(t)
	r.run()
	r.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_scout", Name: "scout", Source: contracts.SourceBridge, Session: "bridge:scout::default"}})
	r.do("one", contracts.Say{Text: "the word is hunter2hunter2", To: "agent_scout"})
	seq := r.pendingChat("agent_scout")
	r.do("two", contracts.Say{Text: "Hello", To: "agent_scout"})
	if _, err := r.office.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{seq}, By: "owner", Reason: "pasted by mistake"}); err != nil {
		t.Fatal(err)
	}
	if !r.CatchUp(t.Context()) {
		t.Fatal("the view is behind")
	}
	var got []string
	done := errors.New("got both")
	err := r.Orders(t.Context(), contracts.SourceBridge, func(rec contracts.Record) error {
		got = append(got, string(rec.Body))
		if len(got) == 2 {
			return done
		}
		return nil
	})
	if !errors.Is(err, done) || strings.Contains(got[0], "hunter2") || !strings.Contains(got[1], "Hello") {
		t.Errorf("%v: %q", err, got)
	}
}
