package driven

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
)

// A task's prompt says who, what, under which constraints and what was decided;
// the answer's block becomes the result, its files are read from the workspace.
func TestWorkHandsOver(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "post.md"), []byte("# Tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := says(fenced(`{"summary":"done","artifacts":[{"type":"copy","title":"Tea","path":"post.md"},{"content":"short"}],"follow_ups":[{"title":"Draw a cup", "kind": "Design" } ] }`))
	r := newRunner(t, Config{Driver: p, Workspace: func(string) (string, error) { return dir, nil },
		Summary: func() contracts.OfficeSummary {
			return contracts.OfficeSummary{Projects: []contracts.ProjectSummary{{Title: "Blog", Status: "executing", Done: 1, Total: 3}}}
		}})
	job := task()
	job.Answers = []contracts.Decision{{Prompt: "Green or black?", Choice: "Green", Note: "with mint"}}
	job.Siblings = []contracts.Artifact{{Title: "Facts", Type: "report", Version: 1}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return "Tea is old.", nil }
	sink := &paper{}
	res, err := r.Work(t.Context(), job, sink)
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
	lacks(t, p.prompts[0], "You are Dov, the engineer", "Write the post", "> Write a blog post\n> about tea", "tone: dry", "Green or black?", "Green", "> with mint",
		"> Tea is old.", "1 of 3 tasks done", "```json")
	if p.opened[0].Key != "agent_eng_1::crew" || p.opened[0].Workspace != dir || p.opened[0].AgentID != "agent_eng_1" {
		t.Errorf("%+v", p.opened[0])
	}
	if len(sink.used) != 1 || sink.used[0].TokensIn != 10 || !contains(sink.progress, "I did it.") || strings.Contains(sink.code, "did it") || !strings.Contains(sink.code, "Draw a cup") {
		t.Errorf("used %+v, progress %q, code %q", sink.used, sink.progress, sink.code)
	}
}

// Changes come with the version that was sent back, cut to what a prompt may hold,
// and every version needs its successor.
func TestChangesNeedEveryVersion(t *testing.T) {
	p := says(fenced(`{"artifacts":[{"content":"one"}]}`), fenced(`{"artifacts":[{"content":"one"},{"content":"two"}]}`))
	r := newRunner(t, Config{Driver: p})
	job := task()
	job.Instructions, job.Previous = "Shorter.", []contracts.Artifact{{Title: "A", Version: 1}, {Title: "B", Version: 1}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) {
		return strings.Repeat("x", contracts.LimitPromptMaterial), nil
	}
	res, err := r.Work(t.Context(), job, &paper{})
	if err != nil || len(res.Artifacts) != 2 {
		t.Fatalf("%+v %v", res, err)
	}
	lacks(t, p.prompts[0], "> Shorter.", "(the rest is left out)", "“B”")
	lacks(t, p.prompts[1], "2 artifacts were sent back")
	if n := len(p.prompts[0]); n > 2*contracts.LimitPromptMaterial {
		t.Errorf("the prompt has %d bytes", n)
	}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return "", errors.New("gone") }
	if _, err := r.Work(t.Context(), job, &paper{}); err == nil {
		t.Error("a new version was made without the earlier one")
	}
}

// An answer that cannot be used is sent back once with the reason, and then the
// job fails with it (issue 5: prose instead of structure).
func TestMalformedAnswersAreSentBackOnce(t *testing.T) {
	good := fenced(`{"artifacts":[{"content":"x"}]}`)
	for name, c := range map[string]struct {
		answers []string
		want    string // in the repair prompt
		fails   bool
	}{
		"prose":             {[]string{"Here is your post.", good}, "does not end with a fenced block", false},
		"prose twice":       {[]string{"Here is your post.", "I said so."}, "does not end with a fenced block", true},
		"open block":        {[]string{"```json\n{\"artifacts\":[]}", good}, "never ends", false},
		"no JSON":           {[]string{fenced("{nothing}"), good}, "not the JSON", false},
		"wrong type":        {[]string{fenced(`{"artifacts":"x"}`), good}, "not the JSON", false},
		"empty":             {[]string{fenced(`{}`), good}, "neither a question nor an artifact", false},
		"both":              {[]string{fenced(`{"artifacts":[{"content":"x"}],"ask":{"prompt":"?","options":["a","b"]}}`), good}, "both a question and artifacts", false},
		"no choice":         {[]string{fenced(`{"ask":{"prompt":"?"}}`), good}, "nothing to choose", false},
		"path and no place": {[]string{fenced(`{"artifacts":[{"path":"x"}]}`), good}, "no workspace", false},
		"last block counts": {[]string{"```json\n{\"example\":1}\n```\n" + fenced(`{}`), good}, "neither", false},
		"bare JSON":         {[]string{`{"artifacts":[{"content":"x"}]}`}, "", false},
		"windows lines":     {[]string{strings.ReplaceAll(good, "\n", "\r\n")}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := says(c.answers...)
			r := newRunner(t, Config{Driver: p})
			sink := &paper{}
			res, err := r.Work(t.Context(), task(), sink)
			switch {
			case c.fails && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "Dov answered twice")):
				t.Errorf("%v", err)
			case !c.fails && (err != nil || res.Artifacts[0].Content != "x"):
				t.Errorf("%+v %v", res, err)
			}
			if want := min(2, len(c.answers)); len(p.prompts) != want {
				t.Errorf("asked %d times, want %d", len(p.prompts), want)
			}
			if c.want != "" {
				lacks(t, p.prompts[1], c.want)
				if u := sink.used[len(sink.used)-1]; u.TokensIn != 20 || *u.CostUSD != 0.5 {
					t.Errorf("both turns count: %+v", u)
				}
			}
		})
	}
	r := newRunner(t, Config{Driver: says("A whole post, written well.", "ok"), Lenient: true})
	if res, err := r.Work(t.Context(), task(), &paper{}); err != nil || res.Artifacts[0].Content != "A whole post, written well." || res.Artifacts[0].MIME != "text/markdown" {
		t.Errorf("lenient: %+v %v", res, err)
	}
}

func TestAskPlanAndChat(t *testing.T) {
	r := newRunner(t, Config{Driver: says(fenced(`{"ask":{"prompt":"Which?","options":["A","B"],"allow_free_text":true}}`))})
	if res, err := r.Work(t.Context(), task(), &paper{}); err != nil || res.Ask == nil || res.Ask.Prompt != "Which?" || !res.Ask.AllowFreeText {
		t.Errorf("%+v %v", res, err)
	}
	p := says("no", fenced(`{"summary":"two","tasks":[{"title":"One","kind":"research"},{"title":"Two","description":"d","kind":"copy","priority":7}]}`))
	plan, err := newRunner(t, Config{Driver: p}).Plan(t.Context(), crew.PlanJob{AgentID: "agent_bd", Project: task().Project}, &paper{})
	if err != nil || len(plan.Tasks) != 2 || plan.Tasks[0].Priority != 1 || plan.Tasks[1].Priority != 7 || len(p.prompts) != 2 {
		t.Errorf("%+v %v", plan, err)
	}
	lacks(t, p.prompts[0], "do not carry it out", "> Write a blog post")
	chat := crew.ChatJob{AgentID: "agent_eng_1", ChatWork: contracts.ChatWork{Chat: contracts.Chat{Text: "How is it going?"}}}
	reply, err := newRunner(t, Config{Driver: says(strings.Repeat("Well. ", 2000))}).Chat(t.Context(), chat, &paper{})
	if err != nil || len([]rune(reply.Text)) > contracts.LimitChatText || !strings.HasPrefix(reply.Text, "Well. ") {
		t.Errorf("%d %v", len(reply.Text), err)
	}
	if _, err := newRunner(t, Config{Driver: says(" ")}).Chat(t.Context(), chat, &paper{}); err == nil {
		t.Error("an empty reply was taken")
	}
}

// An agent that is not there, and one that went away, say so in words for people.
func TestFailuresAreExplained(t *testing.T) {
	for want, err := range map[string]error{
		"Dov (agent_eng_1) is not connected": drive.ErrAbsent,
		"ended in the middle of its work":    fmt.Errorf("Claude Code ended: killed: %w", drive.ErrGone),
		"the model is overloaded":            errors.New("the model is overloaded"),
	} {
		p := &program{turn: func(context.Context, string, drive.Sink) (drive.Answer, error) {
			return drive.Answer{Usage: contracts.Usage{TokensIn: 3}}, err
		}}
		sink := &paper{}
		_, got := newRunner(t, Config{Driver: p}).Work(t.Context(), task(), sink)
		if got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v, want %q", got, want)
		}
		if len(sink.used) != 1 {
			t.Error("what a failed turn used was not counted")
		}
	}
}
