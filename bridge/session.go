package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// session is one conversation: agentId::chatId.
type session struct {
	bridge *Bridge
	addr   address
	root   completion.Digest // root of a conversation without a name

	mu      sync.Mutex
	running *turn
	queue   []*turn
	recent  map[string]*turn // by what a retry carries
	line    drive.Session    // open to the agent, nil when it is not
	takes   drive.Takes      // what the line takes
	known   memory           // what the agent was given over the line
	idle    *time.Timer
	anew    bool // the next turn begins a new conversation

	forgotten bool // the bridge does not know it any more: nothing may begin in it
}

func unavailable(format string, args ...any) *problem {
	return &problem{status: http.StatusServiceUnavailable, retryAfter: time.Second, Type: typeServer, Code: "agent_unavailable", Message: fmt.Sprintf(format, args...)}
}

func tooMany(format string, args ...any) *problem {
	return &problem{status: http.StatusTooManyRequests, retryAfter: 5 * time.Second, Type: typeLimit, Code: "rate_limit_exceeded", Message: fmt.Sprintf(format, args...)}
}

// retry is how a caller says that a request is the same as an earlier one.
type retry struct {
	join  string // what all attempts carry; empty when they carry nothing
	own   bool   // the caller made join for this one request
	again bool   // the caller says so, without a name for it
}

// submit starts a turn, queues it, or joins the one that it is a retry of. The
// caller is attached and must detach. It is nil for a session that was forgotten
// meanwhile, and for a question that finds no turn to join.
func (s *session) submit(r retry, q question) (*turn, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forgotten {
		return nil, nil
	}
	if q.addr.confined && q.addr.workspace != s.addr.workspace {
		return nil, badRequest(headerWorkspace, "This conversation works in another directory already. Name none, or begin another chat.")
	}
	if q.addr.workspace == "" {
		q.addr.workspace = s.addr.workspace // should the program have to be started again
	}
	s.dropOld()
	join := r.join
	if t := s.recent[join]; t != nil && r.own && !q.repeats(t) {
		return nil, &problem{status: http.StatusUnprocessableEntity, Type: typeInvalid, Code: "idempotency_key_reused",
			Message: "This Idempotency-Key belongs to another request. Use a new one for every request."}
	}
	if t := s.earlier(r, q); t != nil {
		if !t.attach() {
			return nil, tooMany("%d callers follow this turn already.", contracts.LimitBridgeCallers)
		}
		return t, nil
	}
	if q.join { // what it wanted to join has failed, and the agent may have heard it
		return nil, nil
	}
	if len(s.queue) >= contracts.LimitBridgeQueue {
		return nil, tooMany("%d turns wait for %s already. Try again when some have ended.", len(s.queue), s.addr.key())
	}
	t := newTurn(s.bridge.life, join, q)
	t.attach()
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	if s.running != nil {
		s.queue = append(s.queue, t)
	} else if s.running = t; !s.bridge.start(s.work) {
		return nil, closing()
	}
	if join != "" {
		s.remember(t)
	}
	return t, nil
}

// earlier is the turn that a request is a retry of, nil when there is none. A turn
// that failed is tried again; one that a person stopped stays stopped.
func (s *session) earlier(r retry, q question) (found *turn) {
	if t := s.recent[r.join]; t != nil && q.repeats(t) { // one trace may hold several requests
		found = t
	}
	for _, t := range s.recent {
		if r.again && q.repeats(t) && (found == nil || t.prompt.TS > found.prompt.TS) {
			found = t
		}
	}
	if found == nil || found.failed() {
		return nil
	}
	return found
}

// remember keeps a turn for its retries, and of too many the latest.
func (s *session) remember(t *turn) {
	s.recent[t.join] = t
	if len(s.recent) <= contracts.LimitBridgeRecent {
		return
	}
	oldest := t
	for _, have := range s.recent {
		if have.over() && have.prompt.TS <= oldest.prompt.TS {
			oldest = have
		}
	}
	delete(s.recent, oldest.join)
}

// dropOld forgets turns whose retries have had their time.
func (s *session) dropOld() {
	now := s.bridge.cfg.Now()
	for join, t := range s.recent {
		t.mu.Lock()
		old := t.done && now.Sub(t.ended) > contracts.BridgeRemember
		t.mu.Unlock()
		if old {
			delete(s.recent, join)
		}
	}
}

// work runs turn after turn until none waits.
func (s *session) work() {
	for t := s.running; t != nil; {
		answer, err := s.perform(t)
		if err == nil {
			s.settle(t, answer)
		}
		t.ask = nil // a turn is remembered for its retries, the images of its messages are not
		var exit *drive.ExitError
		if errors.As(err, &exit) {
			s.bridge.cfg.Log.Warn("agent program exited during a turn", "session", s.addr.key(), "status", exit.Status, "stderr", exit.Stderr)
		}
		t.finish(answer, err, s.bridge.cfg.Now())
		s.mu.Lock()
		if t = nil; s.anew {
			s.letGo()
			s.anew = false
		}
		if len(s.queue) > 0 {
			t, s.queue = s.queue[0], s.queue[1:]
		}
		s.running = t
		if t == nil {
			s.rest()
		}
		s.mu.Unlock()
	}
	s.bridge.park(s)
}

// rest lets go of the agent after a while without work; the caller holds the lock.
func (s *session) rest() {
	s.idle = time.AfterFunc(s.bridge.cfg.Idle, func() {
		s.retire()
	})
}

// retire ends a session that has nothing to do.
func (s *session) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return
	}
	if s.idle != nil {
		s.idle.Stop()
	}
	s.letGo()
	s.forgotten = true
	s.bridge.forget(s)
}

// close lets go of the agent for good.
func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
	s.letGo()
}

// letGo closes the line to the agent; the caller holds the lock. A stubborn program
// takes its time to end, so nobody waits for it here: Close of the bridge does.
func (s *session) letGo() {
	line := s.line
	s.known = memory{} // the next agent may be another one
	if s.line = nil; line == nil {
		return
	}
	end := func() {
		if err := line.Close(); err != nil {
			s.bridge.cfg.Log.Warn("an agent was not let go in good order", "session", s.addr.key(), "error", err)
		}
	}
	if !s.bridge.start(end) {
		end()
	}
}

// perform has the agent answer one prompt. An agent that went away is reached
// anew with the next turn.
func (s *session) perform(t *turn) (answer drive.Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(t.ctx, s.bridge.cfg.TurnTimeout, fmt.Errorf("the turn took longer than %v and was stopped", s.bridge.cfg.TurnTimeout))
	defer cancel()
	activity, err := s.bridge.cfg.Office.Begin(ctx, t.addr.agent, drive.Spec{Key: t.addr.key(), AgentID: t.addr.agent, Workspace: t.addr.workspace}, t.prompt)
	if err != nil {
		return drive.Answer{}, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the agent's driver broke: %v", p)
		}
		if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
		activity.End(answer, err)
	}()
	line, err := s.reach(ctx, t.addr)
	if err != nil {
		return drive.Answer{}, err
	}
	prompt, err := s.compose(t, line)
	if err != nil {
		return drive.Answer{}, err
	}
	answer, err = line.Turn(ctx, prompt, relay{activity, t})
	if errors.Is(err, drive.ErrGone) || errors.Is(err, drive.ErrAbsent) {
		s.mu.Lock()
		s.letGo()
		s.mu.Unlock()
	}
	return answer, err
}

// reach is the open line to the agent. A peer that dialled in since takes over
// from a program of ours, unless it is that program.
func (s *session) reach(ctx context.Context, a address) (drive.Session, error) {
	s.mu.Lock()
	line := s.line
	s.mu.Unlock()
	if p := s.bridge.peers.find(a); p != nil && line != nil && !p.speaksFor(line) {
		line = nil
	}
	if line != nil {
		return line, nil
	}
	line, takes, err := s.bridge.open(ctx, a)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letGo()
	s.line, s.takes = line, takes
	return line, nil
}
