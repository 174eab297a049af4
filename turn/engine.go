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

// Errors for rejected requests and for turns that end without an answer.
var (
	ErrStopped   = errors.New("stopped by a person in the office")
	ErrOrphaned  = errors.New("every caller disconnected")
	ErrStalled   = errors.New("no progress")
	ErrClosing   = errors.New("the office is shutting down")
	ErrQueue     = errors.New("too many turns are queued for this conversation")
	ErrOpen      = errors.New("too many conversations are open")
	ErrCallers   = errors.New("too many callers are following this turn")
	ErrReused    = errors.New("the idempotency key was used for another request")
	ErrWorkspace = errors.New("the conversation is bound to another workspace")
	ErrNoTurn    = errors.New("there is no turn to join")
	// ErrUnclaimed means that the agent is connected, but only for other conversations. It is
	// wrapped together with drive.ErrUnreachable.
	ErrUnclaimed = errors.New("the agent has not claimed this conversation")
)

// Office is the part of the office that the engine uses.
type Office interface {
	// Tell records facts and returns one reply per fact, once the facts are durable. If a reply has
	// the code INTERNAL, its fact may be missing and may be reported again.
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
	// Await returns a decision once it is resolved or cancelled.
	Await(ctx context.Context, decisionID string) (contracts.Decision, error)
	// PutBlob stores content and returns its SHA-256 hash.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	// PublishStream shows streamed text to people. It must not block for long.
	PublishStream(d contracts.StreamDelta)
	// Admit adds an agent outside the crew to the office.
	Admit(ctx context.Context, p contracts.AgentProfile) error
	// AddEvidence records evidence about an agent outside the crew.
	AddEvidence(ctx context.Context, agentID string, e status.Evidence)
}

// Key identifies a conversation.
type Key struct {
	Agent    string // as named by the caller
	Chat     string
	Internal bool // belongs to the office; callers cannot address it
}

// CrewChat is the chat of the office's own conversations with crew programs. Callers cannot use it:
// a program sees only agentId::chatId, so it could not tell a caller's conversation from the
// office's.
const CrewChat = "crew"

// AnyChat, used as the chat of a session key, matches every chat of an agent. Callers cannot use
// it.
const AnyChat = "*"

// String returns the key as agentId::chatId.
func (k Key) String() string { return k.Agent + contracts.SessionSeparator + k.Chat }

// KeyOf parses agentId::chatId. Without a separator, the whole string is the agent.
func KeyOf(session string) Key {
	agent, chat, _ := strings.Cut(session, contracts.SessionSeparator)
	return Key{Agent: agent, Chat: chat}
}

// Route describes which agent answers in a conversation and how to reach it.
type Route struct {
	AgentID string
	Driver  drive.Driver
	Runner  string // namespace of stored conversation ids; if empty, none are stored
	Crew    bool   // a crew member: it is in the office, and its status is derived from its turns
	// External means that the office did not start the agent's program and cannot stop it, so
	// budgets do not apply.
	External bool

	// Confine checks a workspace that a caller names. confined means that the office's program may
	// work only there. If Confine is nil, workspaces are ignored.
	Confine func(workspace string) (path string, confined bool, err error)

	// Workspace returns the directory that the program works in; its argument is empty if the caller
	// named no workspace. If Workspace is nil, there is no directory.
	Workspace func(workspace string) (root, dir string, err error)
	// Acquire adds everything that the program needs, such as a credential, to spec. release is
	// called when the connection is closed. A nil Acquire adds nothing.
	Acquire func(spec *drive.Spec) (release func(), err error)
	// Serves reports whether a session that was opened by another driver reaches this agent and
	// can be kept. A nil Serves means false.
	Serves func(drive.Session) bool

	session int // the agent's session number; set by the engine
}

// Directory decides which agent answers: a connected peer, the crew's runner, or a program to
// start. Find returns drive.ErrUnreachable if there is no such agent, and must be fast.
type Directory interface {
	Find(ctx context.Context, k Key) (Route, error)
}

// Config configures an Engine. Office, Directory and NewUUID are required.
type Config struct {
	Office    Office
	Directory Directory
	NewUUID   func() string

	Memory *Memory // stored conversation ids; default: in memory only
	// Session returns the number of an agent's newest session. A new number starts a new
	// conversation. Default: always 0.
	Session func(agentID string) int

	Budgets  staff.Budgets // default: none
	Accounts Accounts      // nil means that only running turns are counted
	// Roots returns the directories that an agent's paths are shown relative to; default: none.
	Roots func(agentID string) hud.Roots

	Idle  time.Duration    // idle time after which a conversation is closed; default contracts.SessionIdle
	Grace time.Duration    // time for a stopped turn to return; default contracts.TurnGrace
	Now   func() time.Time // default time.Now
	Log   *slog.Logger     // default: no logging
}

// Engine runs turns. Close stops all of them.
type Engine struct {
	cfg    Config
	runCtx context.Context
	end    context.CancelCauseFunc
	work   sync.WaitGroup

	meter meter

	mu     sync.Mutex
	open   map[Key]*conversation
	parked []*conversation // temporary conversations that may be continued, oldest first
	closed bool

	answering map[string]int // running turns by agent
	done      chan struct{}  // closed once Close has closed all conversations
}

// New returns an Engine that accepts requests until Close.
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
	e.runCtx, e.end = context.WithCancelCause(context.Background())
	return e
}

// Route returns the agent that would now answer in a conversation.
func (e *Engine) Route(ctx context.Context, k Key) (Route, error) {
	return e.cfg.Directory.Find(ctx, k)
}

// Submit starts or queues a turn, or joins the turn that r repeats. The caller is attached to the
// returned turn and must call Leave.
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

// Run submits r and returns the answer. If ctx is done first, the turn is stopped or removed from
// the queue.
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

// conversation returns the open conversation of a request, or opens a new one.
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

// FindConversation returns the key of the conversation in the request's group that already received
// the request, or false if there is none.
func (e *Engine) FindConversation(j Join) (Key, bool) {
	e.mu.Lock()
	var list []*conversation
	for _, c := range e.open {
		if c.group != "" && c.group == j.Group {
			list = append(list, c)
		}
	}
	e.mu.Unlock()
	for _, c := range list {
		if c.hasReceived(j) {
			return c.key, true
		}
	}
	return Key{}, false
}

// CarryOut carries out an order for an agent and ignores other records. "stop" ends the running
// turns of the agent's callers; queued turns then run. The office ends its own turns itself. "kill"
// and "new_session" end all turns of the agent's callers and close the agent's connections, except
// the one that the office itself uses in the agent's newest session. The next turn opens a new
// connection.
func (e *Engine) CarryOut(rec contracts.Record) error {
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

// reset ends the turns of an agent's callers and closes the agent's connections, except the one
// that the office itself uses in the agent's newest session.
func (e *Engine) reset(agentID string) {
	newest := e.cfg.Session(agentID)
	for _, c := range e.conversationsOf(agentID) {
		c.reset(newest)
	}
}

// conversationsOf returns an agent's open conversations.
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

// Close stops every turn, closes every conversation and waits until all are closed. Concurrent and
// later calls wait as well.
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
	for _, c := range e.open { // e.open can no longer change
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

// park limits how many temporary conversations stay open, because each may keep a program running.
// The office's own temporary conversations are closed when their turns end.
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
