package driven

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// program is a driver whose agent answers by script.
type program struct {
	turn func(ctx context.Context, text string, sink drive.Sink) (drive.Answer, error)

	mu      sync.Mutex
	opened  []drive.Spec
	prompts []string
	closed  int
}

func (p *program) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, spec)
	id := spec.Resume
	if id == "" {
		id = fmt.Sprintf("conversation-%d", len(p.opened))
	}
	return &talk{p, id}, nil
}

type talk struct {
	*program
	id string
}

func (c *talk) ID() string { return c.id }

func (c *talk) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (c *talk) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	c.mu.Lock()
	c.prompts = append(c.prompts, p.Text)
	c.mu.Unlock()
	return c.turn(ctx, p.Text, sink)
}

// count says how many prompts, openings and closings there were.
func (p *program) count() (prompts, opened, closed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.prompts), len(p.opened), p.closed
}

// says answers with these texts, one after the other; the last one again and again.
func says(texts ...string) *program {
	var mu sync.Mutex
	cost := 0.25
	return &program{turn: func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		text := texts[0]
		if len(texts) > 1 {
			texts = texts[1:]
		}
		for piece := range strings.SplitAfterSeq(text, " ") {
			sink.Delta("token", piece)
		}
		return drive.Answer{Text: text, Usage: contracts.Usage{Model: "m", TokensIn: 10, TokensOut: 5, CostUSD: &cost}}, nil
	}}
}

// paper writes down what a turn shows to the crew.
type paper struct {
	drivetest.Sink
	mu       sync.Mutex
	progress []string
	used     []contracts.Usage
	code     string
}

func (p *paper) Progress(percent int, preview string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = append(p.progress, fmt.Sprintf("%d %s", percent, preview))
}

func (p *paper) Used(u contracts.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = append(p.used, u)
}

func (p *paper) ToolStart(tool string, args any) func(any) { return p.Sink.ToolStart("", tool, args) }

func (p *paper) Drive() drive.Sink { return writing{&p.Sink, p} }

type writing struct {
	*drivetest.Sink
	paper *paper
}

func (w writing) Delta(kind, text string) {
	if kind == "code" {
		w.paper.mu.Lock()
		w.paper.code += text
		w.paper.mu.Unlock()
	}
	w.Sink.Delta(kind, text)
}

var _ crew.Sink = (*paper)(nil)

// fenced is an answer in the form that is asked for.
func fenced(body string) string { return "I did it.\n\n```json\n" + body + "\n```\n" }

func task() crew.TaskJob {
	return crew.TaskJob{AgentID: "agent_eng_1", Project: contracts.Project{ProjectID: "proj_a", Title: "Blog", Request: "Write a blog post\nabout tea", Constraints: map[string]any{"tone": "dry"}},
		TaskWork: contracts.TaskWork{Task: contracts.Task{TaskID: "task_a", Title: "Write the post", Description: "About 300 words.", Kind: contracts.KindCopy, Attempt: 1}}}
}

func newRunner(t *testing.T, cfg Config) *Runner {
	t.Helper()
	if cfg.Profile == nil {
		cfg.Profile = func(id string) contracts.AgentProfile {
			return contracts.AgentProfile{AgentID: id, Name: "Dov", Role: contracts.RoleEngineer}
		}
	}
	r := New(cfg)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

func contains(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}
