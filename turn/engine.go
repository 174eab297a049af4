package turn

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/staff"
)

// Errors of requests that are rejected and of turns that end without an answer.
var (
	ErrStopped   = errors.New("stopped by a person in the office")
	ErrOrphaned  = errors.New("every caller disconnected")
	ErrStalled   = errors.New("no progress")
	ErrClosing   = errors.New("the office is shutting down")
	ErrQueue     = errors.New("too many turns are queued for this conversation")
	ErrOpen      = errors.New("too many conversations are open")
	ErrCallers   = errors.New("too many callers follow this turn")
	ErrReused    = errors.New("the idempotency key was used for another request")
	ErrWorkspace = errors.New("the conversation is bound to another workspace")
	ErrNoTurn    = errors.New("no turn to join")
	// ErrUnclaimed goes with drive.ErrAbsent: the agent is connected, but only for other
	// conversations.
	ErrUnclaimed = errors.New("the agent has not claimed this conversation")
)

// Office is the part of the office that the engine uses.
type Office interface {
	// Tell records facts and returns one reply for each once it is durable. The code INTERNAL means
	// that the fact was not recorded and may be told again.
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	// Await returns a decision once it is resolved or cancelled.
	Await(ctx context.Context, decisionID string) (contracts.Decision, error)
	// PutBlob stores content by its hash.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	// PublishStream shows text while it is being written. It must not block for long.
	PublishStream(d contracts.StreamDelta)
	// Admit lets in an agent that does not belong to the crew.
	Admit(ctx context.Context, p contracts.AgentProfile) error
	// Witness records evidence of the activity of an agent outside the crew.
	Witness(ctx context.Context, agentID string, e status.Evidence)
}

// Key names a conversation.
type Key struct {
	Agent    string // as named by the caller
	Chat     string
	Internal bool // belongs to the office; callers cannot address it
}

// CrewChat is the chat of the office's own conversations with crew programs. Callers cannot use it:
// a program only sees agentId::chatId, which does not tell whose conversation it is.
const CrewChat = "crew"

// AnyChat as the chat of a session key matches every chat of an agent. Callers cannot use it.
const AnyChat = "*"

// String returns agentId::chatId.
func (k Key) String() string { return k.Agent + contracts.SessionSeparator + k.Chat }

// KeyOf parses agentId::chatId.
func KeyOf(session string) Key {
	agent, chat, _ := strings.Cut(session, contracts.SessionSeparator)
	return Key{Agent: agent, Chat: chat}
}

// Route is who answers in a conversation, and how to reach them.
type Route struct {
	AgentID string
	Driver  drive.Driver
	Runner  string // namespace of stored conversation ids; empty stores none
	Crew    bool   // a crew member: it is in the office, and its status follows from its turns
	// External means that the agent connected by itself: budgets do not apply, because
	// the office neither started it nor can stop it.
	External bool

	// Confine checks a workspace that a caller names. confined means that our program may work
	// there and nowhere else. nil ignores workspaces.
	Confine func(workspace string) (path string, confined bool, err error)

	// Workspace returns the directory in which the program works, for the workspace that the caller
	// named or for none. nil means no directory.
	Workspace func(workspace string) (root, dir string, err error)
	// Acquire adds what the program needs, such as a credential; release takes it back when the
	// conversation is closed. nil adds nothing.
	Acquire func(spec *drive.Spec) (release func(), err error)
	// Serves reports whether an open session with another driver already reaches this agent, so it
	// can be kept. nil means false.
	Serves func(drive.Session) bool

	session int // session number of the agent; set by the engine
}

// Directory decides who answers: a connected peer, the crew's runner, or a program to start. It
// fails with drive.ErrAbsent if no one can. It must be fast.
type Directory interface {
	Find(ctx context.Context, k Key) (Route, error)
}

// Config configures an Engine. Office, Directory and NewUUID are required.
type Config struct {
	Office    Office
	Directory Directory
	NewUUID   func() string

	Memory *Memory // stored conversation ids; default: kept until the engine is closed
	// Session returns the number of an agent's newest session; another number is another
	// conversation. Default: always 0.
	Session func(agentID string) int

	Budgets  staff.Budgets // default: none
	Accounts Accounts      // nil counts only running turns
	// Roots returns the directories that paths of an agent are shown relative to; default: none.
	Roots func(agentID string) hud.Roots

	Idle  time.Duration    // closes a conversation unused for this long; default contracts.SessionIdle
	Grace time.Duration    // time for a stopped turn to return; default contracts.TurnGrace
	Now   func() time.Time // default time.Now
	Log   *slog.Logger     // default silent
}

// Engine runs turns. Close stops all of them.
type Engine struct {
	cfg  Config
	life context.Context
	end  context.CancelCauseFunc
	work sync.WaitGroup

	meter meter

	mu     sync.Mutex
	open   map[Key]*conversation
	parked []*conversation // temporary ones that may be continued, oldest first
	closed bool

	answering map[string]int // running turns by agent
	done      chan struct{}  // closed when Close has closed everything
}

// New returns an engine that is open until Close.
func New(cfg Config) *Engine {
	if cfg.Memory == nil {
		cfg.Memory = &Memory{}
	}
	if cfg.Session == nil {
		cfg.Session = func(string) int { return 0 }
	}
	if cfg.Roots == nil {
		cfg.Roots = func(string) hud.Roots { return hud.Roots{} }
	}
	if cfg.Idle <= 0 {
		cfg.Idle = contracts.SessionIdle
	}
	if cfg.Grace <= 0 {
		cfg.Grace = contracts.TurnGrace
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{cfg: cfg, open: map[Key]*conversation{}, answering: map[string]int{}, done: make(chan struct{})}
	e.life, e.end = context.WithCancelCause(context.Background())
	return e
}

// Route returns who would answer in a conversation now.
func (e *Engine) Route(ctx context.Context, k Key) (Route, error) {
	return e.cfg.Directory.Find(ctx, k)
}

// Submit starts a turn, queues it, or joins the one that it repeats. The caller is attached to the
// turn and must call Leave.
func (e *Engine) Submit(r Request) (*Turn, error) {
	for {
		c, err := e.conversation(r)
		if err != nil {
			return nil, err
		}
		if t, err := c.submit(r); !errors.Is(err, errReset) {
			return t, err
		}
	}
}

// Run is Submit for a caller that waits. When ctx ends, the turn is stopped or leaves the queue.
func (e *Engine) Run(ctx context.Context, r Request) (drive.Answer, error) {
	t, err := e.Submit(r)
	if err != nil {
		return drive.Answer{}, err
	}
	defer t.Leave()
	defer context.AfterFunc(ctx, func() { t.of.cancel(t, context.Cause(ctx)) })()
	<-t.Done()
	return t.Result()
}

// conversation finds or opens the conversation of a request.
func (e *Engine) conversation(r Request) (*conversation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosing
	}
	if c := e.open[r.Key]; c != nil {
		return c, nil
	}
	switch {
	case r.Join.MustJoin:
		return nil, ErrNoTurn
	case !r.Key.Internal && len(e.open) >= contracts.LimitBridgeSessions:
		return nil, ErrOpen
	}
	c := &conversation{engine: e, key: r.Key, group: r.Join.Group, workspace: r.Workspace, temporary: r.Temporary, recent: map[string]*Turn{}}
	e.open[r.Key] = c
	return c, nil
}

// Tried finds the conversation of a group in which the same request was already made.
func (e *Engine) Tried(j Join) (Key, bool) {
	e.mu.Lock()
	var list []*conversation
	for _, c := range e.open {
		if c.group != "" && c.group == j.Group {
			list = append(list, c)
		}
	}
	e.mu.Unlock()
	for _, c := range list {
		if c.tried(j) {
			return c.key, true
		}
	}
	return Key{}, false
}

// Obey carries out an order for an agent; other records are ignored. "stop" ends the running turns
// of its callers: queued ones run next, and the office's own turns end with their work. "kill" and
// "new_session" end every turn and close the agent's conversations; the next turn opens a new one.
func (e *Engine) Obey(rec contracts.Record) error {
	order, ok, err := rec.Order()
	if err != nil || !ok {
		return err
	}
	switch order.Subtype {
	case "stop":
		for _, c := range e.conversationsOf(order.AgentID) {
			c.stop()
		}
	case "kill", "new_session":
		e.reset(order.AgentID)
	}
	return nil
}

// reset closes the conversations of an agent, except the office's own conversation of its newest
// session.
func (e *Engine) reset(agentID string) {
	newest := e.cfg.Session(agentID)
	for _, c := range e.conversationsOf(agentID) {
		c.reset(newest)
	}
}

// conversationsOf lists the open conversations of an agent.
func (e *Engine) conversationsOf(agentID string) (list []*conversation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.open {
		if contracts.AgentIDOf(c.key.Agent) == agentID {
			list = append(list, c)
		}
	}
	return list
}

// Close stops every turn, closes every conversation and waits for all of them. Every further call
// waits, too.
func (e *Engine) Close() {
	e.mu.Lock()
	first := !e.closed
	e.closed = true
	e.mu.Unlock()
	if !first {
		<-e.done
		return
	}
	e.end(ErrClosing)
	e.work.Wait()
	var closing sync.WaitGroup
	for _, c := range e.open { // no conversation is added or removed any more
		closing.Go(c.close)
	}
	closing.Wait()
	close(e.done)
}

// start runs work in a goroutine that Close waits for. It returns false if the engine is closing.
func (e *Engine) start(work func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.work.Go(work)
	return true
}

func (e *Engine) forget(c *conversation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed && e.open[c.key] == c {
		delete(e.open, c.key)
	}
}

// park bounds the temporary conversations that may be continued, because each may hold a program.
// The office's own end with their turn.
func (e *Engine) park(c *conversation) {
	if !c.temporary {
		return
	}
	old := c
	if !c.key.Internal {
		e.mu.Lock()
		e.parked = append(slices.DeleteFunc(e.parked, func(p *conversation) bool { return p == c }), c)
		if old = nil; len(e.parked) > contracts.LimitBridgeUnnamed {
			old, e.parked = e.parked[0], e.parked[1:]
		}
		e.mu.Unlock()
	}
	if old != nil {
		old.closeForRetries()
	}
}
