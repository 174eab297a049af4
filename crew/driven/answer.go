package driven

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// malformed says what is wrong with an answer, in words for its author.
type malformed struct{ reason string }

func (m *malformed) Error() string { return m.reason }

func isMalformed(err error) bool {
	var m *malformed
	return errors.As(err, &m)
}

func unusable(format string, args ...any) error { return &malformed{fmt.Sprintf(format, args...)} }

// block finds the JSON that an answer ends with: the last fenced block, or the
// whole of an answer that is nothing else.
func block(text string) (string, error) {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != fence {
			continue
		}
		for j := i + 1; j < len(lines); j++ {
			if strings.TrimSpace(lines[j]) == "```" {
				return strings.Join(lines[i+1:j], "\n"), nil
			}
		}
		return "", unusable("its block begins with %s and never ends: close it with ```", fence)
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		return text, nil
	}
	return "", unusable("it does not end with a fenced block that begins with %s", fence)
}

// decode reads the block of an answer.
func decode(text string, into any) error {
	body, err := block(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		return unusable("its block is not the JSON that was asked for: %v", err)
	}
	return nil
}

func readPlan(text string) (crew.Plan, error) {
	var said struct {
		Summary string                `json:"summary"`
		Tasks   []contracts.TaskDraft `json:"tasks"`
	}
	if err := decode(text, &said); err != nil {
		return crew.Plan{}, err
	}
	p := crew.Plan{Summary: contracts.CleanText(said.Summary), Tasks: drafts(said.Tasks)}
	if err := crew.CheckPlan(p); err != nil {
		return crew.Plan{}, unusable("%v", err)
	}
	return p, nil
}

// drafts gives tasks without a priority the one of their place.
func drafts(list []contracts.TaskDraft) []contracts.TaskDraft {
	for i := range list {
		d := &list[i]
		d.Title, d.Description = contracts.CleanLine(d.Title), contracts.CleanText(d.Description)
		d.Kind = contracts.TaskKind(strings.ToLower(string(d.Kind)))
		d.Priority = cmp.Or(max(d.Priority, 0), i+1)
	}
	return list
}

// handover is the block that ends the work at a task.
type handover struct {
	Summary   string                `json:"summary"`
	Artifacts []deliverable         `json:"artifacts"`
	Ask       *question             `json:"ask"`
	FollowUps []contracts.TaskDraft `json:"follow_ups"`
}

type deliverable struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	MIME    string `json:"mime"`
	Content string `json:"content"`
	Path    string `json:"path"`
}

type question struct {
	Prompt        string   `json:"prompt"`
	Options       []string `json:"options"`
	AllowFreeText bool     `json:"allow_free_text"`
}

func readResult(text string, job crew.TaskJob, place string) (crew.Result, error) {
	var said handover
	if err := decode(text, &said); err != nil {
		return crew.Result{}, err
	}
	res := crew.Result{FollowUps: drafts(said.FollowUps)}
	if q := said.Ask; q != nil {
		res.Ask = &crew.Ask{Prompt: q.Prompt, Options: q.Options, AllowFreeText: q.AllowFreeText}
	}
	for i, d := range said.Artifacts {
		a, err := d.artifact(job, place)
		if err != nil {
			return crew.Result{}, unusable("artifact %d: %v", i+1, err)
		}
		res.Artifacts = append(res.Artifacts, a)
	}
	if err := crew.CheckResult(res); err != nil {
		return crew.Result{}, unusable("%v", err)
	}
	if n := len(job.Previous); res.Ask == nil && len(res.Artifacts) < n {
		return crew.Result{}, unusable("%d artifacts were sent back and each needs a new version; there are %d", n, len(res.Artifacts))
	}
	return res, nil
}

// artifact completes a deliverable with what can only mean one thing.
func (d deliverable) artifact(job crew.TaskJob, place string) (crew.Artifact, error) {
	a := crew.Artifact{
		Type: cmp.Or(contracts.CleanLine(d.Type), string(job.Task.Kind), "document"), Title: cmp.Or(contracts.CleanLine(d.Title), job.Task.Title),
		MIME: contracts.CleanLine(d.MIME), Content: d.Content,
	}
	switch {
	case d.Path != "" && d.Content != "":
		return a, errors.New("it has both a content and a path; give one of them")
	case d.Path == "":
		a.Content = contracts.CleanText(a.Content)
		a.MIME = cmp.Or(a.MIME, "text/markdown")
		return a, nil
	}
	content, err := readFile(place, d.Path)
	if err != nil {
		return a, err
	}
	a.Content, a.MIME = content, cmp.Or(a.MIME, mimeOf(d.Path, content))
	return a, nil
}

// wholeText takes prose as it is.
func wholeText(text string, job crew.TaskJob) crew.Result {
	return crew.Result{Artifacts: []crew.Artifact{{
		Type: cmp.Or(string(job.Task.Kind), "document"), Title: job.Task.Title, MIME: "text/markdown",
		Content: contracts.CleanText(text[:min(len(text), contracts.LimitArtifactBytes)]),
	}}}
}

// readReply takes an answer as it is: people talk without a form.
func readReply(text string) (crew.Reply, error) {
	r := crew.Reply{Text: contracts.Clip(contracts.CleanText(strings.TrimSpace(text)), contracts.LimitChatText)}
	if contracts.Blank(r.Text) {
		return crew.Reply{}, unusable("it is empty")
	}
	return r, nil
}
