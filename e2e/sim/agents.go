package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// agents is the driver of every agent. An agent's behaviour depends on the seed, on the work and on
// how many times the agent was asked to do it.
type agents struct {
	seed uint64

	mu    sync.Mutex
	asked map[string]int // number of turns per unit of work
}

func newAgents(seed uint64) *agents { return &agents{seed: seed, asked: map[string]int{}} }

// Find routes callers to the driver.
func (a *agents) Find(_ context.Context, k turn.Key) (turn.Route, error) {
	return turn.Route{AgentID: k.Agent, Driver: a, Crew: true}, nil
}

// Capabilities reports that agents accept work items.
func (a *agents) Capabilities() drive.Capabilities {
	return drive.Capabilities{Messages: true, Work: true, Scripted: true}
}

// Open returns a session that has no memory.
func (a *agents) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return &session{agents: a, key: spec.Key}, nil
}

// random returns the random number generator for the next turn on a unit of work.
func (a *agents) random(work string) *rand.Rand {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[work]++
	return source(a.seed, fmt.Sprint(work, " ", a.asked[work]))
}

type session struct {
	*agents
	key string
}

func (s *session) ID() string   { return "" }
func (s *session) Close() error { return nil }

// Turn works for a while and then answers, fails, panics, or hangs until it is stopped.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	r := s.random(s.key)
	if err := work(ctx, r, sink); err != nil {
		return drive.Answer{}, err
	}
	usage := contracts.Usage{Model: "sim", TokensIn: int64(r.IntN(1000)), TokensOut: int64(r.IntN(100))}
	switch n := r.IntN(40); {
	case n == 0:
		panic("an agent has a bug")
	case n == 1:
		<-ctx.Done()
		return drive.Answer{Usage: usage}, ctx.Err()
	case n < 4:
		return drive.Answer{Usage: usage}, errors.New("the agent gave up")
	}
	text, err := answer(r, p)
	return drive.Answer{Text: text, Usage: usage}, err
}

// work shows some activity.
func work(ctx context.Context, r *rand.Rand, sink drive.Sink) error {
	for range r.IntN(5) {
		pause := between(r, 0, 4*time.Second)
		switch r.IntN(8) {
		case 0, 1:
			end := sink.Think()
			time.Sleep(pause)
			end()
		case 2, 3:
			end := sink.ToolStart("", "Bash", map[string]string{"command": "make"})
			time.Sleep(pause)
			end(strings.Repeat("ok ", 1<<r.IntN(15)))
		case 4:
			sink.Delta("token", "Working. ")
		case 5:
			sink.Progress(r.IntN(100), "on it")
			time.Sleep(pause)
		case 6:
			if _, err := sink.Permit(ctx, contracts.Permission{Tool: "Bash", Label: "rm -r build"}); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// answer returns the answer in the form that the prompt requests.
func answer(r *rand.Rand, p drive.Prompt) (string, error) {
	var value any
	switch p.Form {
	case drive.FormPlan:
		plan := crew.Plan{Summary: "As asked."}
		for i := range 1 + r.IntN(2) {
			plan.Tasks = append(plan.Tasks, contracts.TaskDraft{Title: fmt.Sprint("Step ", i+1), Kind: contracts.KindCode})
		}
		value = plan
	case drive.FormResult:
		result := crew.Result{Artifacts: []crew.Artifact{{Type: "code", Title: "Patch", MIME: "text/plain", Content: fmt.Sprint("patch ", r.Uint64())}}}
		if r.IntN(4) == 0 {
			result = crew.Result{Ask: &crew.Ask{Prompt: "Which one?", Options: []string{"A", "B"}}}
		}
		value = result
	default:
		return "Hello.", nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}
