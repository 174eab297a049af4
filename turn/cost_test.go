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

// ledgerOnce records which facts arrive together. It can refuse one fact of the next batch, like a
// ledger that fails between two appends.
type ledgerOnce struct {
	*office

	mu       sync.Mutex
	told     [][]contracts.HUDEvent
	sessions []string
	refuse   contracts.ErrorCode // refusal of the first fact of the next batch
	fail     bool                // fail the last fact of the next batch
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

// The message that a turn answers and the start of the turn share one append. A fact that was not
// recorded is retried alone; a refused message does not stop the turn.
func TestMessageAndStartShareOneAppend(t *testing.T) {
	for name, c := range map[string]struct {
		refuse contracts.ErrorCode
		fail   bool
		want   [][]contracts.HUDEvent
	}{
		"taken":              {want: [][]contracts.HUDEvent{{contracts.HUDReceived, contracts.HUDTurnStart}, {contracts.HUDTurnEnd}}},
		"start not recorded": {fail: true, want: [][]contracts.HUDEvent{{contracts.HUDReceived, contracts.HUDTurnStart}, {contracts.HUDTurnStart}, {contracts.HUDTurnEnd}}},
		"message not recorded": {refuse: contracts.CodeInternal,
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

// While an agent answers a caller, a turn for another caller does not change the session in the
// agent's profile. A turn that starts while no other turn is running sets the session.
func TestBusyAgentKeepsTheSessionOfItsProfile(t *testing.T) {
	o := &ledgerOnce{office: &office{}}
	received, free := make(chan struct{}), make(chan struct{})
	p := &program{turn: func(_ context.Context, text string, _ drive.Sink) (drive.Answer, error) {
		if text == "wait" {
			close(received)
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
	<-received
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
		t.Errorf("ended turns are still counted: %v", r.answering)
	}
}

// promptSession is an interruptible session.
type promptSession struct{ *fakeSession }

func (promptSession) Interruptible() {}

type interruptible struct{ *program }

func (p interruptible) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	s, err := p.program.Open(ctx, spec)
	return promptSession{s.(*fakeSession)}, err
}

// An interruptible session runs on the goroutine of its conversation. A panic there fails only that
// turn.
func TestInterruptibleSessionNeedsNoGoroutine(t *testing.T) {
	var stack []byte
	p := &program{turn: func(_ context.Context, text string, _ drive.Sink) (drive.Answer, error) {
		if text == "panic" {
			panic("a bug")
		}
		stack = debug.Stack()
		return drive.Answer{Text: "Hi"}, nil
	}}
	r := newRig(t, interruptible{p})
	if _, err := r.Run(t.Context(), request("a")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(stack, []byte("turn.(*conversation).work")) {
		t.Errorf("the turn ran on its own goroutine:\n%s", stack)
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
