package crew_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// A task's prompt states who works on what, under which constraints, and what was decided. The
// block in the answer becomes the result, and the files that the block names are read from the
// workspace.
func TestAnswerBecomesAResult(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "post.md"), []byte("# Tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		p := says(fenced(`{"summary":"done","artifacts":[{"type":"copy","title":"Tea","path":"post.md"},{"content":"short"}],"follow_ups":[{"title":"Draw a cup", "kind": "Design" } ] }`))
		answer := p.turn
		p.turn = func(ctx context.Context, text string, sink drive.Sink) (drive.Answer, error) {
			defer time.Sleep(time.Second) // leaves time to report the progress
			return answer(ctx, text, sink)
		}
		b := newBench(t, crew.Worker{Driver: p, Workspace: func(string) (string, error) { return dir, nil }})
		defer b.close()
		job := task()
		job.Task.Answers = []contracts.Decision{{Prompt: "Green or black?", Choice: "Green", Note: "with mint"}}
		job.Task.Siblings = []contracts.Artifact{b.stored(contracts.Artifact{Title: "Facts", Type: "report", Version: 1}, "Tea is old.")}
		res, err := b.work(job)
		if err != nil {
			t.Fatal(err)
		}
		if a := res.Artifacts; len(a) != 2 || a[0] != (crew.Artifact{Type: "copy", Title: "Tea", MIME: "text/markdown", Content: "# Tea\n"}) ||
			a[1] != (crew.Artifact{Type: "copy", Title: "Write the post", MIME: "text/markdown", Content: "short"}) {
			t.Errorf("%+v", res.Artifacts)
		}
		if f := res.FollowUps; len(f) != 1 || f[0].Kind != contracts.KindDesign || f[0].Priority != 1 {
			t.Errorf("%+v", f)
		}
		wantContains(t, p.prompts[0], "You are Dov, the engineer", "Write the post", "> Write a blog post\n> about tea", "tone: dry", "Green or black?", "Green", "> with mint",
			"> Tea is old.", "1 of 3 tasks done", "```json")
		if s := p.last(); s.Key != "agent_eng_1::crew" || s.Workspace != dir || s.AgentID != dov {
			t.Errorf("%+v", s)
		}
		code := ""
		for _, d := range b.deltas {
			if d.Kind == "code" {
				code += d.Delta
			}
		}
		if strings.Contains(code, "did it") || !strings.Contains(code, "Draw a cup") {
			t.Errorf("code %q", code)
		}
		if used := factsOf[contracts.UsageSeen](b.office); len(used) != 1 || used[0].Usage.TokensIn != 10 || used[0].TaskID != "task_a" {
			t.Errorf("used %+v", used)
		}
		if reports := factsOf[contracts.RunProgress](b.office); !slices.ContainsFunc(reports, func(r contracts.RunProgress) bool { return r.Preview == "I did it." && r.Percent > 5 }) {
			t.Errorf("progress %+v", reports)
		}
		checkActivity(t, b.office)
	})
}

// A change request includes the versions that were sent back, truncated to fit in a prompt, and the
// result needs a new version of each.
func TestChangesNeedEveryVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says(fenced(`{"artifacts":[{"content":"one"}]}`), fenced(`{"artifacts":[{"content":"one"},{"content":"two"}]}`))
		b := newBench(t, crew.Worker{Driver: p})
		defer b.close()
		job := task()
		long := strings.Repeat("x", contracts.LimitPromptMaterial)
		job.Task.Instructions = "Shorter."
		job.Task.Previous = []contracts.Artifact{b.stored(contracts.Artifact{Title: "A", Version: 1}, long), b.stored(contracts.Artifact{Title: "B", Version: 1}, long)}
		res, err := b.work(job)
		if err != nil || len(res.Artifacts) != 2 {
			t.Fatalf("%+v %v", res, err)
		}
		wantContains(t, p.prompts[0], "> Shorter.", "(the rest is omitted)", "“B”")
		wantContains(t, p.prompts[1], "each artifact that was sent back for changes needs a new version: want 2, got 1")
		if n := len(p.prompts[0]); n > 2*contracts.LimitPromptMaterial {
			t.Errorf("the prompt has %d bytes", n)
		}
		job.Task.Previous[0].SHA256 = "gone"
		if _, err := b.work(job); err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("a new version was made without the earlier one: %v", err)
		}
	})
}

// An invalid answer is sent back once with the reason. If the second answer is invalid too, the job
// fails with the second reason.
func TestMalformedAnswersAreSentBackOnce(t *testing.T) {
	good := fenced(`{"artifacts":[{"content":"x"}]}`)
	for name, c := range map[string]struct {
		answers []string
		want    string // in the repair prompt
		fails   bool
	}{
		"prose":                 {[]string{"Here is your post.", good}, "does not end with a fenced block", false},
		"prose twice":           {[]string{"Here is your post.", "I said so."}, "does not end with a fenced block", true},
		"open block":            {[]string{"```json\n{\"artifacts\":[]}", good}, "is not closed", false},
		"no JSON":               {[]string{fenced("{nothing}"), good}, "does not have the requested format", false},
		"wrong type":            {[]string{fenced(`{"artifacts":"x"}`), good}, "does not have the requested format", false},
		"empty":                 {[]string{fenced(`{}`), good}, "neither a question nor an artifact", false},
		"both":                  {[]string{fenced(`{"artifacts":[{"content":"x"}],"ask":{"prompt":"?","options":["a","b"]}}`), good}, "both a question and artifacts", false},
		"no choice":             {[]string{fenced(`{"ask":{"prompt":"?"}}`), good}, "needs at least two options", false},
		"path and no workspace": {[]string{fenced(`{"artifacts":[{"path":"x"}]}`), good}, "no workspace", false},
		"last block counts":     {[]string{"```json\n{\"example\":1}\n```\n" + fenced(`{}`), good}, "neither", false},
		"bare JSON":             {[]string{`{"artifacts":[{"content":"x"}]}`}, "", false},
		"windows lines":         {[]string{strings.ReplaceAll(good, "\n", "\r\n")}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := says(c.answers...)
				b := newBench(t, crew.Worker{Driver: p})
				defer b.close()
				res, err := b.work(task())
				switch {
				case c.fails && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "Dov returned an invalid answer twice")):
					t.Errorf("%v", err)
				case !c.fails && (err != nil || res.Artifacts[0].Content != "x"):
					t.Errorf("%+v %v", res, err)
				}
				if want := min(2, len(c.answers)); len(p.prompts) != want || len(p.opened) != 1 {
					t.Errorf("asked %d times in %d conversations, want %d", len(p.prompts), len(p.opened), want)
				}
				if c.want != "" {
					wantContains(t, p.prompts[1], c.want)
					if u := factsOf[contracts.UsageSeen](b.office); len(u) != 1 || u[0].Usage.TokensIn != 20 || *u[0].Usage.CostUSD != 0.5 {
						t.Errorf("usage of both prompts: %+v", u)
					}
				}
				checkActivity(t, b.office)
			})
		})
	}
}

// If the block is missing twice, a lenient runner delivers the longer of the two answers as a prose
// artifact.
func TestLenientRunnerDeliversProse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, crew.Worker{Driver: says("A whole post, written well.", "ok"), Lenient: true})
		defer b.close()
		if res, err := b.work(task()); err != nil || res.Artifacts[0].Content != "A whole post, written well." || res.Artifacts[0].MIME != "text/markdown" {
			t.Errorf("%+v %v", res, err)
		}
	})
}

func TestAskPlanAndChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := says(fenced(`{"ask":{"prompt":"Which?","options":["A","B"],"allow_free_text":true}}`), "no",
			fenced(`{"summary":"two","tasks":[{"title":"One","kind":"research"},{"title":"Two","description":"d","kind":"copy","priority":7}]}`), strings.Repeat("Well. ", 2000), " ")
		b := newBench(t, crew.Worker{Driver: p})
		defer b.close()
		if res, err := b.work(task()); err != nil || res.Ask == nil || res.Ask.Prompt != "Which?" || !res.Ask.AllowFreeText {
			t.Errorf("%+v %v", res, err)
		}
		b.do(contracts.Work{AgentID: dov, Project: task().Project, Plan: true})
		plans := factsOf[contracts.PlanReady](b.office)
		if len(plans) != 1 || len(plans[0].Tasks) != 2 || plans[0].Tasks[0].Priority != 1 || plans[0].Tasks[1].Priority != 7 || len(p.prompts) != 3 {
			t.Errorf("%+v", plans)
		}
		wantContains(t, p.prompts[1], "do not carry it out", "> Write a blog post")
		b.do(chat("How is it going?"))
		b.do(chat("And now?"))
		replies := factsOf[contracts.ChatSaid](b.office)
		if len(replies) != 2 || len([]rune(replies[0].Chat.Text)) > contracts.LimitChatText || !strings.HasPrefix(replies[0].Chat.Text, "Well. ") {
			t.Fatalf("%+v", replies)
		}
		wantContains(t, p.prompts[3], "> How is it going?")
		wantContains(t, replies[1].Chat.Text, "I could not answer: Dov returned an invalid answer twice", "it is empty")
	})
}

// The errors for absent and disconnected agents are readable, including in the ledger.
func TestFailuresAreExplained(t *testing.T) {
	for want, err := range map[string]error{
		"Dov (agent_eng_1) is not connected":      drive.ErrUnreachable,
		"process exited before the work was done": fmt.Errorf("Claude Code ended: killed: %w", drive.ErrGone),
		"the model is overloaded":                 errors.New("the model is overloaded"),
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
				return drive.Answer{Usage: contracts.Usage{TokensIn: 3}}, err
			}}
			b := newBench(t, crew.Worker{Driver: p})
			defer b.close()
			if _, got := b.work(task()); got == nil || !strings.Contains(got.Error(), want) {
				t.Errorf("%v, want %q", got, want)
			}
			if len(factsOf[contracts.UsageSeen](b.office)) != 1 {
				t.Error("the usage of a failed turn was not counted")
			}
			all := factsOf[contracts.HUDSeen](b.office)
			if end := all[len(all)-1].HUD; end.Event != contracts.HUDTurnEnd || !strings.Contains(string(end.Result), want) {
				t.Errorf("%+v", end)
			}
		})
	}
}
