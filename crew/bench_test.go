package crew_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// program is a driver with a scripted agent.
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
	return &conversation{p, id}, nil
}

type conversation struct {
	*program
	id string
}

func (c *conversation) ID() string { return c.id }

func (c *conversation) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	return nil
}

func (c *conversation) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	c.mu.Lock()
	c.prompts = append(c.prompts, p.Text)
	c.mu.Unlock()
	return c.turn(ctx, p.Text, sink)
}

// count returns the numbers of prompts sent and of conversations opened and closed.
func (p *program) count() (prompts, opened, closed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.prompts), len(p.opened), p.closed
}

// last returns the spec of the conversation opened last.
func (p *program) last() drive.Spec {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened[len(p.opened)-1]
}

// says returns a program that gives these answers in order, then repeats the last.
func says(texts ...string) *program {
	var mu sync.Mutex
	cost := 0.25
	return &program{turn: func(_ context.Context, _ string, sink drive.Sink) (drive.Answer, error) {
		mu.Lock()
		text := texts[0]
		if len(texts) > 1 {
			texts = texts[1:]
		}
		mu.Unlock()
		for piece := range strings.SplitAfterSeq(text, " ") {
			sink.Delta("token", piece)
		}
		return drive.Answer{Text: text, Usage: contracts.Usage{Model: "m", TokensIn: 10, TokensOut: 5, CostUSD: &cost}}, nil
	}}
}

// fenced returns an answer that ends with body in a fenced JSON block.
func fenced(body string) string { return "I did it.\n\n```json\n" + body + "\n```\n" }

const dov = "agent_eng_1"

// bench is an office in which one worker does one job after another.
type bench struct {
	*office
	t      *testing.T
	engine *turn.Engine
	close  func()
	jobs   int
}

// newBench opens an office. The test must close it.
func newBench(t *testing.T, w crew.Worker, change ...func(*turn.Config)) *bench {
	t.Helper()
	o := newOffice()
	cfg := o.config(map[string]crew.Worker{"claude": w}, change...)
	cfg.Default = "claude"
	cfg.Profile = func(id string) contracts.AgentProfile {
		return contracts.AgentProfile{AgentID: id, Name: "Dov", Role: contracts.RoleEngineer}
	}
	cfg.Summary = func() contracts.OfficeSummary {
		return contracts.OfficeSummary{Projects: []contracts.ProjectSummary{{Title: "Blog", Status: "executing", Done: 1, Total: 3}}}
	}
	return &bench{office: o, t: t, engine: cfg.Engine, close: open(t, cfg)}
}

func task() contracts.Work {
	return contracts.Work{
		AgentID: dov, Project: contracts.Project{ProjectID: "proj_a", Title: "Blog", Request: "Write a blog post\nabout tea", Constraints: map[string]any{"tone": "dry"}},
		Task: &contracts.TaskWork{Task: contracts.Task{TaskID: "task_a", Title: "Write the post", Description: "About 300 words.", Kind: contracts.KindCopy, Attempt: 1}},
	}
}

func chat(text string) contracts.Work {
	return contracts.Work{AgentID: dov, Chat: &contracts.ChatWork{Seq: 7, Chat: contracts.Chat{From: contracts.UserID, To: dov, Text: text}}}
}

// do adds w to the list of work and waits until w is done.
func (b *bench) do(w contracts.Work) {
	b.t.Helper()
	b.jobs++
	w.Key = fmt.Sprintf("work:%d", b.jobs)
	b.list(w)
	for len(b.Work()) > 0 {
		time.Sleep(time.Millisecond)
	}
}

// work carries out a task and returns its result.
func (b *bench) work(w contracts.Work) (res crew.Result, err error) {
	b.t.Helper()
	b.do(w)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch f := b.facts[len(b.facts)-1].(type) {
	case contracts.RunBroke:
		return res, errors.New(f.Reason)
	case contracts.RunAsked:
		res.Ask = &crew.Ask{Prompt: f.Prompt, Options: f.Options, AllowFreeText: f.AllowFreeText}
	case contracts.RunDelivered:
		res.FollowUps = f.FollowUps
		for _, a := range f.Artifacts {
			res.Artifacts = append(res.Artifacts, crew.Artifact{Type: a.Type, Title: a.Title, MIME: a.MIME, Content: string(b.blobs[a.SHA256])})
		}
	default:
		b.t.Errorf("the last fact is %+v", f)
	}
	return res, nil
}

// stored stores content and returns the artifact with its hash.
func (b *bench) stored(a contracts.Artifact, content string) contracts.Artifact {
	a.SHA256, _ = b.PutBlob(b.t.Context(), []byte(content))
	return a
}

// wantContains reports an error for each part that text does not contain.
func wantContains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing from:\n%s", part, text)
		}
	}
}
