package driven

import (
	"context"
	"sync"

	"github.com/bullpen-office/bullpen/drive"
)

// Driver opens conversations of callers that want to talk to an agent themselves, with
// the same program in the same workspaces. Each is remembered by its session key and
// the number of the agent's sessions, so that it goes on after a restart.
func (r *Runner) Driver(number int) drive.Driver { return visiting{r, number} }

type visiting struct {
	*Runner
	number int
}

// Takes is what the program takes.
func (v visiting) Takes() drive.Takes { return drive.TakesOf(v.cfg.Driver) }

func (v visiting) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	if spec.Workspace == "" {
		place, err := v.cfg.Workspace(spec.AgentID)
		if err != nil {
			return nil, err
		}
		spec.Workspace = place
	}
	d := &desk{agent: spec.AgentID, key: v.cfg.Name + "/" + spec.Key, number: v.number, spec: spec}
	if !spec.Fleeting {
		v.cfg.Memory.visited(d.key)
	}
	if _, err := v.open(ctx, d); err != nil {
		return nil, err
	}
	return &visit{runner: v.Runner, desk: d}, nil
}

// visit is a caller's own conversation at a desk of its own.
type visit struct {
	runner *Runner
	desk   *desk
}

// ID is the program's id of the conversation, empty once it is closed.
func (v *visit) ID() string {
	v.desk.mu.Lock()
	defer v.desk.mu.Unlock()
	if v.desk.session == nil {
		return ""
	}
	return v.desk.session.ID()
}

// Close ends the program; another visit can take the conversation up again.
func (v *visit) Close() error {
	v.desk.mu.Lock()
	v.desk.left = true
	v.desk.mu.Unlock()
	v.runner.letGo(v.desk)
	return nil
}

// lost tells a caller that the conversation could not be resumed: the agent has
// forgotten what was said before, and is given only what is new.
const lost = "(The earlier conversation could not be resumed. This is a new one.)\n\n"

// Turn has the agent answer, in another conversation when it does not know the one that
// it was to take up: then it is told everything, as far as the caller has said it.
func (v *visit) Turn(ctx context.Context, p drive.Prompt, out drive.Sink) (drive.Answer, error) {
	for again, said := false, ""; ; again = true {
		s, err := v.runner.open(ctx, v.desk)
		if err != nil {
			return drive.Answer{}, err
		}
		if again && p.Whole != nil {
			p = *p.Whole
		} else if again {
			said = lost
			out.Delta("token", said)
		}
		sink := &witness{Sink: out, pulse: pulse{first: func() { v.runner.remember(v.desk) }}}
		answer, err := s.Turn(ctx, p, sink)
		if err == nil {
			v.runner.answered(v.desk)
			answer.Text = said + answer.Text
			return answer, nil
		}
		if again || ctx.Err() != nil || sink.lively() || !v.runner.startOver(v.desk, err) {
			return answer, err
		}
	}
}

// witness notes the first sign of life of a turn.
type witness struct {
	drive.Sink
	pulse
}

func (w *witness) Delta(kind, text string) {
	w.sign()
	w.Sink.Delta(kind, text)
}

func (w *witness) ToolStart(callID, tool string, args any) func(any) {
	w.sign()
	return w.Sink.ToolStart(callID, tool, args)
}

func (w *witness) Think() func() {
	w.sign()
	return w.Sink.Think()
}

// pulse tells once of a first sign of life.
type pulse struct {
	first func()

	mu    sync.Mutex
	heard bool
}

// lively reports whether the program did anything at all.
func (p *pulse) lively() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard
}

// sign notes a sign of life.
func (p *pulse) sign() {
	p.mu.Lock()
	first := !p.heard
	p.heard = true
	p.mu.Unlock()
	if first {
		p.first()
	}
}
