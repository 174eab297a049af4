package driven

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// desk is where an agent works: its conversation, and the place of its files.
type desk struct {
	agent string
	key   string        // of its conversation in the memory
	slot  chan struct{} // holds the one job at a time

	mu      sync.Mutex
	number  int // of the agent's conversations; another number is another one
	spec    drive.Spec
	session drive.Session // nil while no program is held
	resumed bool          // it was opened to go on, and has not answered yet
	idle    *time.Timer
	release func()
}

// dialog is a job at a desk.
type dialog struct {
	runner  *Runner
	desk    *desk
	sink    *sink
	longest string // of the answers
}

// wait is between two signs of life of a job that waits for its turn.
const wait = 30 * time.Second

// sit waits until the agent has time. The job before it is watched by the crew, so
// the wait ends.
func (r *Runner) sit(ctx context.Context, agent string, number int, out crew.Sink) (*dialog, error) {
	d, err := r.desk(agent)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(wait)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case d.slot <- struct{}{}:
			waiting = false
		case <-tick.C:
			out.Progress(0, "Waits until it has answered what came before")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	place, err := r.cfg.Workspace(agent)
	if err != nil {
		<-d.slot
		return nil, fmt.Errorf("%s has no place to work: %w", r.cfg.Profile(agent).Name, err)
	}
	d.mu.Lock()
	old := d.number != number || d.spec.Workspace != place
	d.number, d.spec.Workspace = number, place
	if d.idle != nil {
		d.idle.Stop()
	}
	d.mu.Unlock()
	if old {
		r.letGo(d)
	}
	return &dialog{runner: r, desk: d, sink: newSink(out, func() { r.remember(d) })}, nil
}

func (r *Runner) desk(agent string) (*desk, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("the office is closing")
	}
	d := r.desks[agent]
	if d == nil {
		d = &desk{agent: agent, key: r.cfg.Name + "/" + agent, slot: make(chan struct{}, 1), spec: drive.Spec{Key: agent + contracts.SessionSeparator + chatID, AgentID: agent}}
		r.desks[agent] = d
	}
	return d, nil
}

// rise ends a job. The program stays for the next one, for a while.
func (d *dialog) rise() {
	r, at := d.runner, d.desk
	at.mu.Lock()
	at.idle = time.AfterFunc(r.cfg.Idle, func() {
		select {
		case at.slot <- struct{}{}:
			r.letGo(at)
			<-at.slot
		default: // it has work again
		}
	})
	at.mu.Unlock()
	<-at.slot
}

// ask has the agent answer. A conversation that cannot be taken up again is begun
// again, once: the prompt has all that it needs.
func (d *dialog) ask(ctx context.Context, text string) (string, error) {
	r := d.runner
	for again := false; ; again = true {
		s, err := r.open(ctx, d.desk)
		if err != nil {
			return "", r.explain(d.desk.agent, err)
		}
		prompt := drive.Prompt{Text: text, ChatID: chatID, MessageID: r.cfg.NewUUID(), TS: r.cfg.Now().UnixMilli()}
		answer, err := s.Turn(ctx, prompt, d.sink)
		d.sink.settle(answer.Usage)
		if err == nil {
			r.answered(d.desk)
			if len(answer.Text) > len(d.longest) {
				d.longest = answer.Text
			}
			return answer.Text, nil
		}
		if again || ctx.Err() != nil || d.sink.lively() || !r.startOver(d.desk, err) {
			return "", r.explain(d.desk.agent, err)
		}
	}
}

// explain says what became of a turn and what to do.
func (r *Runner) explain(agent string, err error) error {
	name := r.cfg.Profile(agent).Name
	switch {
	case errors.Is(err, drive.ErrAbsent):
		return fmt.Errorf("%s (%s) is not connected: start its program, then try again (%w)", name, agent, err)
	case errors.Is(err, drive.ErrGone):
		return fmt.Errorf("the program of %s ended in the middle of its work: %w; try again", name, err)
	}
	return err
}
