package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/hud/status"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// program is a driver with a scripted agent.
type program struct {
	turn func(ctx context.Context, text string, sink drive.Sink) (drive.Answer, error)

	mu      sync.Mutex
	opened  []drive.Spec
	prompts []string
	closed  int
	ending  time.Duration // how long closing a connection takes
}

func (p *program) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, spec)
	id := spec.Resume
	if id == "" {
		id = fmt.Sprintf("conversation-%d", len(p.opened))
	}
	return &fakeSession{p, id}, nil
}

type fakeSession struct {
	*program
	id string
}

func (c *fakeSession) ID() string { return c.id }

func (c *fakeSession) Close() error {
	time.Sleep(c.ending)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (c *fakeSession) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	c.mu.Lock()
	c.prompts = append(c.prompts, p.Text)
	c.mu.Unlock()
	return c.turn(ctx, p.Text, sink)
}

func (p *program) last() drive.Spec {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened[len(p.opened)-1]
}

func (p *program) count() (opened, closed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.opened), p.closed
}

// says returns a program that always answers with text.
func says(text string) *program {
	return &program{turn: func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		sink.Delta("token", text)
		return drive.Answer{Text: text, Usage: contracts.Usage{Model: "m", TokensIn: 10, TokensOut: 5}}, nil
	}}
}

// office is a fake office that records facts in order.
type office struct {
	mu     sync.Mutex
	lines  []string
	down   bool          // the ledger is down
	fenced bool          // another run of the office took over
	answer chan struct{} // closed when people have answered
}

func (o *office) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, fmt.Sprintf(format, args...))
}

func (o *office) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, "\n")
}

func (o *office) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	o.mu.Lock()
	down, fenced := o.down, o.fenced
	o.mu.Unlock()
	reply := contracts.Reply{Result: contracts.Result{DecisionID: "dec_1"}}
	switch f := facts[0].(type) {
	case contracts.HUDSeen:
		if down {
			return []contracts.Reply{{Refusal: contracts.Refuse(contracts.CodeInternal, "the disk is full")}}
		}
		if fenced && f.HUD.Event.Starts() {
			return []contracts.Reply{{Refusal: contracts.Refuse(contracts.CodeConflict, "another run took over")}}
		}
		result := strings.TrimSuffix(string(f.HUD.Result), "null")
		o.note("%s", strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.HUD.Event, f.HUD.Origin, f.HUD.Tool, result)))
	case contracts.UsageSeen:
		o.note("used %d", f.Usage.TokensIn)
	case contracts.AskSeen:
		o.note("asks %s", f.Prompt)
	case contracts.AskWithdrawn:
		o.note("withdrawn")
	}
	return []contracts.Reply{reply}
}

func (o *office) Await(ctx context.Context, _ string) (contracts.Decision, error) {
	select {
	case <-o.answer:
		return contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}, nil
	case <-ctx.Done():
		return contracts.Decision{}, ctx.Err()
	}
}

func (o *office) PutBlob(context.Context, []byte) (string, error)                { return "", nil }
func (o *office) PublishStream(contracts.StreamDelta)                            {}
func (o *office) Admit(context.Context, contracts.AgentProfile) error            { return nil }
func (o *office) AddEvidence(_ context.Context, agent string, e status.Evidence) {}

// rig is an engine with one program behind every agent.
type rig struct {
	*Engine
	office  *office
	driver  drive.Driver
	session int
}

func (r *rig) Find(_ context.Context, k Key) (Route, error) {
	if k.Agent == "nobody" {
		return Route{}, drive.ErrUnreachable
	}
	return Route{AgentID: k.Agent, Driver: r.driver, Runner: "claude"}, nil
}

func newRig(t *testing.T, d drive.Driver, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{office: &office{answer: make(chan struct{})}, driver: d}
	cfg := Config{Office: r.office, Directory: r, NewUUID: uuid.NewString, Session: func(string) int { return r.session }}
	for _, c := range change {
		c(&cfg)
	}
	r.Engine = New(cfg)
	t.Cleanup(r.Close)
	return r
}

func request(chat string) Request {
	return Request{Key: Key{Agent: "agent_eng_1", Chat: chat}, Prompt: drive.Prompt{Text: "Hello", TS: 1}, Origin: contracts.OriginCaller, Orphan: contracts.BridgeOrphan}
}

// call runs one turn in a chat, then closes all conversations.
func (r *rig) call(t *testing.T, chat string) (string, error) {
	t.Helper()
	answer, err := r.Run(t.Context(), request(chat))
	r.sendOrder(t, "kill")
	return answer.Text, err
}

// sendOrder passes an order for the agent to the engine.
func (r *rig) sendOrder(t *testing.T, order string) {
	t.Helper()
	rec, err := contracts.NewRecord(1, 1, contracts.OrderKey("u"), &contracts.HUD{UUID: "u", Event: contracts.HUDReceived, AgentID: "agent_eng_1", Subtype: order})
	if err == nil {
		err = r.CarryOut(rec)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remembering(t *testing.T, path string) func(*Config) {
	t.Helper()
	m, err := OpenMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Memory = m }
}

// A caller's conversation is resumed by its session key, even after its program was closed or the
// server was restarted. Other chats, the office's own conversations and new sessions are separate
// conversations.
func TestConversationsAreResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	p := says("Hi")
	for life, calls := range [][]struct {
		chat   string
		number int
		resume string
	}{
		{{"a", 0, ""}, {"a", 0, "conversation-1"}, {"b", 0, ""}},
		{{"b", 0, "conversation-3"}, {"a", 0, "conversation-1"}, {"a", 1, ""}, {"crew", 1, ""}},
		{{"a", 1, "conversation-6"}, {"b", 1, ""}},
	} {
		r := newRig(t, p, remembering(t, path))
		for _, c := range calls {
			r.session = c.number
			if _, err := r.call(t, c.chat); err != nil || p.last().Resume != c.resume {
				t.Errorf("life %d: %v resumed %q, %v", life, c, p.last().Resume, err)
			}
		}
		r.Close()
	}
	r := newRig(t, p, remembering(t, path))
	own := request("crew")
	own.Key.Internal, own.Session = true, 1
	if _, err := r.Run(t.Context(), own); err != nil || p.last().Resume != "" {
		t.Errorf("the office resumed a caller's conversation: %+v, %v", p.last(), err)
	}
	r.Close()
	if opened, closed := p.count(); closed != opened {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
}

// A conversation can be resumed even if the server was killed before the first answer.
func TestConversationIsResumedAfterTheServerWasKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	ctx, killed := context.WithCancel(t.Context())
	first := &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		sink.Think()()
		killed()
		<-ctx.Done()
		return drive.Answer{}, ctx.Err()
	}}
	if _, err := newRig(t, first, remembering(t, path)).Run(ctx, request("a")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	second := says("Hi")
	if _, err := newRig(t, second, remembering(t, path)).call(t, "a"); err != nil || second.last().Resume != "conversation-1" {
		t.Errorf("%+v %v", second.opened, err)
	}
}

// If a program cannot find the conversation, a new one is started. The answer reports this once, and
// the new conversation is resumed from then on. A program that cannot start at all is not retried
// forever.
func TestUnknownConversationIsReplaced(t *testing.T) {
	for _, why := range []error{drive.ErrNoConversation, drive.ErrGone} {
		path := filepath.Join(t.TempDir(), "conversations.json")
		if _, err := newRig(t, says("Hi"), remembering(t, path)).call(t, "a"); err != nil {
			t.Fatal(err)
		}
		p := &program{}
		p.turn = func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
			if opened, _ := p.count(); opened == 1 {
				return drive.Answer{}, fmt.Errorf("it ended: %w", why)
			}
			sink.Delta("token", "Hi")
			return drive.Answer{Text: "Hi"}, nil
		}
		r := newRig(t, p, remembering(t, path))
		turn, err := r.Submit(request("a"))
		if err != nil {
			t.Fatal(err)
		}
		<-turn.Done()
		answer, err := turn.Result()
		if streamed, _, _ := turn.Follow(0); err != nil || answer.Text != notResumedNote+"Hi" || streamed != answer.Text {
			t.Errorf("%v: answered %q, streamed %q, %v", why, answer.Text, streamed, err)
		}
		turn.Leave()
		r.sendOrder(t, "kill")
		if text, err := r.call(t, "a"); text != "Hi" {
			t.Errorf("%v: then answered %q, %v", why, text, err)
		}
		if len(p.opened) != 3 || p.opened[0].Resume != "conversation-1" || p.opened[1].Resume != "" || p.opened[2].Resume != "conversation-2" {
			t.Errorf("%v: %+v", why, p.opened)
		}
	}
	broken := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
		return drive.Answer{}, drive.ErrNoConversation
	}}
	if _, err := newRig(t, broken).call(t, "a"); !errors.Is(err, drive.ErrNoConversation) || len(broken.opened) != 2 {
		t.Errorf("%v after %d programs", err, len(broken.opened))
	}
}

// Above the limit, the least recently used conversations are forgotten. Temporary conversations and
// the office's own do not count.
func TestRememberedConversationsAreBounded(t *testing.T) {
	m := &Memory{}
	r := newRig(t, says("Hi"), func(c *Config) { c.Memory = m })
	own, temporary := request("crew"), request("~1")
	own.Key.Internal, temporary.Temporary = true, true
	for _, q := range []Request{own, temporary} {
		if _, err := r.Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	chats := []string{"first"}
	for i := range contracts.LimitConversations {
		if i == 1 {
			chats = append(chats, "first") // use the first chat again
		}
		chats = append(chats, strings.Repeat("i", i%200+1)+fmt.Sprint(i))
	}
	for _, chat := range chats {
		if _, err := r.call(t, chat); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.kept.Agents) != contracts.LimitConversations+1 || m.Resume("claude/agent_eng_1", 0) == "" ||
		m.Resume("claude/agent_eng_1::first", 0) == "" || m.Resume("claude/agent_eng_1::i0", 0) != "" {
		t.Errorf("%d are remembered", len(m.kept.Agents))
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var m Memory
	for i := range 2 * contracts.LimitConversations {
		if err := m.MarkOwned(strings.Repeat("i", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.kept.Owned) != contracts.LimitConversations || m.Owns("i") {
		t.Errorf("%d", len(m.kept.Owned))
	}
}

// The start of a turn is durable before the agent receives the prompt, and the end is durable
// before callers see the answer. The usage of a failed turn is counted.
func TestTurnIsRecordedAroundTheAgent(t *testing.T) {
	p := &program{}
	r := newRig(t, p)
	p.turn = func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		r.office.note("the agent hears it")
		sink.Used(contracts.Usage{TokensIn: 7})
		end := sink.ToolStart("call_1", "exec", nil)
		end(nil)
		end(nil)
		return drive.Answer{}, errors.New("it slipped")
	}
	_, err := r.Run(t.Context(), request("a"))
	r.office.note("the caller hears %v", err)
	want := "turn_start caller\nthe agent hears it\ntool_start  exec\ntool_end  exec\nturn_end   {\"ok\":false,\"error\":\"it slipped\"}\nused 7\nthe caller hears it slipped"
	if got := r.office.all(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	q := request("a")
	q.Key.Agent = "nobody"
	if _, err := r.Run(t.Context(), q); !errors.Is(err, drive.ErrUnreachable) || r.office.all() != want {
		t.Errorf("%v, recorded %s", err, r.office.all())
	}
}

// A turn whose start is refused or cannot be recorded does not reach the agent.
func TestTurnThatIsNotRecordedDoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says("Hi")
		r := newRig(t, p)
		r.office.fenced = true
		var refusal *contracts.Refusal
		if _, err := r.Run(t.Context(), request("a")); !errors.As(err, &refusal) || refusal.Code != contracts.CodeConflict {
			t.Errorf("fenced: %v", err)
		}
		r.office.fenced, r.office.down = false, true
		if _, err := r.Run(t.Context(), request("a")); err == nil || len(p.prompts) > 0 {
			t.Errorf("%v, the agent received %q", err, p.prompts)
		}
		r.office.mu.Lock()
		r.office.down = false
		r.office.mu.Unlock()
		if _, err := r.Run(t.Context(), request("a")); err != nil {
			t.Error(err)
		}
	})
}

// A driver that does not return when its turn is stopped is abandoned after the grace period, and
// the conversation continues on a new connection.
func TestDriverThatIgnoresItsContextIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		var moved atomic.Bool
		p := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
			if !moved.Swap(true) {
				<-free
			}
			return drive.Answer{Text: "Hi"}, nil
		}}
		r := newRig(t, p)
		defer close(free)
		q := request("a")
		q.Timeout = time.Minute
		began := time.Now()
		if _, err := r.Run(t.Context(), q); err == nil || !strings.Contains(err.Error(), "exceeded its time limit of 1m") || time.Since(began) != time.Minute+contracts.TurnGrace {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if answer, err := r.Run(t.Context(), request("a")); err != nil || answer.Text != "Hi" || len(p.opened) != 2 {
			t.Errorf("%+v %v, %d opened", answer, err, len(p.opened))
		}
	})
}

// Silence stops a turn. A running tool extends the limit, and waiting for a person does not count.
// The open question of a turn that has ended is withdrawn.
func TestStallStopsATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			turn func(ctx context.Context, sink drive.Sink)
			want time.Duration // 0 means that the turn is not stopped
		}{
			"silent": {func(ctx context.Context, _ drive.Sink) { <-ctx.Done() }, contracts.TurnStall},
			"tool": {func(ctx context.Context, sink drive.Sink) {
				sink.ToolStart("", "exec", nil)
				<-ctx.Done()
			}, contracts.ToolStall},
			"asked": {func(ctx context.Context, sink drive.Sink) {
				asking, stop := context.WithTimeout(ctx, time.Hour)
				defer stop()
				_, _ = sink.Permit(asking, contracts.Permission{Tool: "exec", Label: "make"})
			}, 0},
		} {
			p := &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
				c.turn(ctx, sink)
				return drive.Answer{Text: "Hi"}, ctx.Err()
			}}
			r := newRig(t, p)
			q := request("a")
			q.Stall = contracts.TurnStall
			began := time.Now()
			_, err := r.Run(t.Context(), q)
			if c.want == 0 && err != nil || c.want > 0 && (!errors.Is(err, ErrStalled) || time.Since(began) != c.want) {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			if name == "asked" && !strings.Contains(r.office.all(), "asks Allow the agent to run: make\nwithdrawn") {
				t.Errorf("%s", r.office.all())
			}
			r.Close()
		}
	})
}

// An unused conversation is closed, and its acquired resources are released.
func TestIdleConversationIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says("Hi")
		held := 0
		r := &rig{office: &office{}, driver: p}
		r.Engine = New(Config{Office: r.office, Directory: acquiring{r, &held}, NewUUID: uuid.NewString, Idle: time.Minute})
		defer r.Close()
		for range 2 {
			if _, err := r.Run(t.Context(), request("a")); err != nil || held != 1 {
				t.Fatal(err, held)
			}
			time.Sleep(59 * time.Second)
		}
		if opened, closed := p.count(); opened != 1 || closed != 0 {
			t.Errorf("%d opened, %d closed", opened, closed)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, closed := p.count(); closed != 1 || held != 0 {
			t.Errorf("%d closed, %d held", closed, held)
		}
	})
}

type acquiring struct {
	*rig
	held *int
}

func (a acquiring) Find(ctx context.Context, k Key) (Route, error) {
	r, err := a.rig.Find(ctx, k)
	r.Acquire = func(*drive.Spec) (func(), error) { *a.held++; return func() { *a.held-- }, nil }
	return r, err
}

// counted implements Accounts with a fixed usage for all agents.
type counted struct{ day contracts.UsageTotal }

func (c *counted) Spent(string, string) (task, agentDay, day contracts.UsageTotal) {
	return task, agentDay, c.day
}

// A turn over budget does not start; a turn that goes over budget is stopped.
func TestBudgetStopsATurn(t *testing.T) {
	p := &program{turn: func(ctx context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		sink.Used(contracts.Usage{TokensIn: 60})
		sink.Used(contracts.Usage{TokensIn: 120})
		<-ctx.Done()
		return drive.Answer{}, ctx.Err()
	}}
	var recorded counted
	usedUp := func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "daily budget of the crew exhausted: used")
	}
	r := newRig(t, p, func(c *Config) { c.Budgets.Day.Tokens, c.Accounts = 100, &recorded })
	if _, err := r.Run(t.Context(), request("a")); !usedUp(err) || !strings.Contains(r.office.all(), "used 120") {
		t.Errorf("%v, %s", err, r.office.all())
	}
	recorded.day.TokensIn = 200
	before := r.office.all()
	if _, err := r.Run(t.Context(), request("a")); !usedUp(err) || r.office.all() != before {
		t.Errorf("%v, %s", err, r.office.all())
	}
}

// The memory file lists the office's own conversations. A file that cannot be read is replaced.
func TestMemoryListsTheOfficesConversations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conversations.json")
	m, err := OpenMemory(path)
	if err := errors.Join(err, m.MarkOwned("conversation-1"), m.MarkOwned("other")); err != nil {
		t.Fatal(err)
	}
	again, err := OpenMemory(path)
	if err != nil || !again.Owns("other") || again.Owns("unknown") {
		t.Fatalf("%+v %v", again, err)
	}
	if err := os.WriteFile(path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken, err := OpenMemory(path)
	if err == nil || broken.Owns("other") || broken.MarkOwned("x") != nil || !broken.Owns("x") {
		t.Errorf("a broken file: %v", err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
