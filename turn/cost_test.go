package turn

import (
	"bytes"
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// ledgerOnce notes what it is told together. It can refuse a fact of the next batch, as a
// ledger that fails between two appends does.
type ledgerOnce struct {
	*office

	mu       sync.Mutex
	told     [][]contracts.HUDEvent
	sessions []string
	refuse   contracts.ErrorCode // the first fact of the next batch
	fail     bool                // the last fact of the next batch
}

func (o *ledgerOnce) Admit(_ context.Context, p contracts.AgentProfile) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sessions = append(o.sessions, p.Session)
	return nil
}

func (o *ledgerOnce) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	o.mu.Lock()
	defer o.mu.Unlock()
	var events []contracts.HUDEvent
	replies := make([]contracts.Reply, len(facts))
	for _, f := range facts {
		if h, ok := f.(contracts.HUDSeen); ok {
			events = append(events, h.HUD.Event)
		}
	}
	if o.refuse != "" {
		replies[0].Refusal = contracts.Refuse(o.refuse, "no")
	}
	if o.fail {
		replies[len(facts)-1].Refusal = contracts.Refuse(contracts.CodeInternal, "the disk is full")
	}
	o.refuse, o.fail = "", false
	if len(events) > 0 {
		o.told = append(o.told, events)
	}
	return replies
}

func withLedger(o *ledgerOnce) func(*Config) { return func(c *Config) { c.Office = o } }

func inBubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// The message that a turn answers and its start share one append. What the ledger did not
// take is offered again, alone; a message that is refused does not stop the turn.
func TestMessageAndStartAreToldTogether(t *testing.T) {
	for name, c := range map[string]struct {
		refuse contracts.ErrorCode
		fail   bool
		want   [][]contracts.HUDEvent
	}{
		"taken":           {want: [][]contracts.HUDEvent{{contracts.HUDReceived, contracts.HUDTurnStart}, {contracts.HUDTurnEnd}}},
		"start not taken": {fail: true, want: [][]contracts.HUDEvent{{contracts.HUDReceived, contracts.HUDTurnStart}, {contracts.HUDTurnStart}, {contracts.HUDTurnEnd}}},
		"message not taken": {refuse: contracts.CodeInternal,
			want: [][]contracts.HUDEvent{{contracts.HUDReceived, contracts.HUDTurnStart}, {contracts.HUDReceived}, {contracts.HUDTurnEnd}}},
		"message refused": {refuse: contracts.CodeConflict, want: [][]contracts.HUDEvent{{contracts.HUDReceived, contracts.HUDTurnStart}, {contracts.HUDTurnEnd}}},
	} {
		t.Run(name, inBubble(func(t *testing.T) {
			o := &ledgerOnce{office: &office{}, refuse: c.refuse, fail: c.fail}
			r := newRig(t, says("Hi"), withLedger(o))
			q := request("a")
			q.Said = "Hello"
			answer, err := r.Run(t.Context(), q)
			r.Close()
			if err != nil || answer.Text != "Hi" {
				t.Errorf("%+v %v", answer, err)
			}
			if !slices.EqualFunc(o.told, c.want, slices.Equal) {
				t.Errorf("told %v, want %v", o.told, c.want)
			}
		}))
	}
}

// An agent that answers several callers at once keeps the session of its profile: nothing
// about it has changed. Alone in another conversation it has another one.
func TestProfileOfAnAgentThatAnswersMany(t *testing.T) {
	o := &ledgerOnce{office: &office{}}
	heard, free := make(chan struct{}), make(chan struct{})
	p := &program{turn: func(_ context.Context, text string, _ drive.Sink) (drive.Answer, error) {
		if text == "wait" {
			close(heard)
			<-free
		}
		return drive.Answer{Text: "Hi"}, nil
	}}
	r := newRig(t, p, withLedger(o))
	first := request("a")
	first.Prompt.Text = "wait"
	long, err := r.Submit(first)
	if err != nil {
		t.Fatal(err)
	}
	<-heard
	if _, err := r.Run(t.Context(), request("b")); err != nil {
		t.Fatal(err)
	}
	close(free)
	<-long.Done()
	long.Leave()
	if _, err := r.Run(t.Context(), request("c")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"bridge:agent_eng_1::a", "", "bridge:agent_eng_1::c"}; !slices.Equal(o.sessions, want) {
		t.Errorf("sessions %q, want %q", o.sessions, want)
	}
	if len(r.answering) > 0 {
		t.Errorf("turns that ended are counted: %v", r.answering)
	}
}

// prompt is a session whose turns need no goroutine of their own.
type prompt struct{ *talk }

func (prompt) Interruptible() {}

type promptly struct{ *program }

func (p promptly) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	s, err := p.program.Open(ctx, spec)
	return prompt{s.(*talk)}, err
}

// A session that returns as soon as its turn is stopped runs on the goroutine of its
// conversation, and one that panics there fails its turn only.
func TestInterruptibleSessionNeedsNoGoroutine(t *testing.T) {
	var stack []byte
	p := &program{turn: func(_ context.Context, text string, _ drive.Sink) (drive.Answer, error) {
		if text == "panic" {
			panic("a mistake")
		}
		stack = debug.Stack()
		return drive.Answer{Text: "Hi"}, nil
	}}
	r := newRig(t, promptly{p})
	if _, err := r.Run(t.Context(), request("a")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(stack, []byte("turn.(*conversation).work")) {
		t.Errorf("the turn ran on a goroutine of its own:\n%s", stack)
	}
	q := request("a")
	q.Prompt.Text = "panic"
	if _, err := r.Run(t.Context(), q); err == nil {
		t.Error("a driver that panicked answered")
	}
	if _, err := r.Run(t.Context(), request("a")); err != nil {
		t.Error(err)
	}
}
