package crew

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// unusable is the error for an invalid answer. The reason is addressed to the answer's author.
type unusable struct{ reason string }

func (u *unusable) Error() string { return u.reason }

func (u *unusable) Is(target error) bool { return target == drive.ErrMalformed }

// unusablef returns an unusable with a formatted reason.
func unusablef(format string, args ...any) error { return &unusable{fmt.Sprintf(format, args...)} }

// asUnusable converts a validation error to an unusable, so that the answer is sent back to its
// author with the reason.
func asUnusable(err error) error {
	if err == nil {
		return nil
	}
	return &unusable{strings.TrimPrefix(err.Error(), unusablePrefix)}
}

// Parser determines how a worker's answers are parsed. A program writes prose that ends with a
// fenced JSON block, and may deliver files; an agent that accepts work items answers with a JSON
// object.
type Parser struct {
	Object    bool
	Workspace string // directory of a program's files; empty means none
}

// block returns the JSON at the end of an answer: the last fenced block, or the whole answer if it
// is JSON.
func block(text string) (string, error) {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != turn.Fence {
			continue
		}
		for j := i + 1; j < len(lines); j++ {
			if strings.TrimSpace(lines[j]) == "```" {
				return strings.Join(lines[i+1:j], "\n"), nil
			}
		}
		return "", unusablef("its block starts with %s and is not closed: close it with ```", turn.Fence)
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		return text, nil
	}
	return "", unusablef("it does not end with a fenced block that starts with %s", turn.Fence)
}

// object returns the first JSON object in text. A code fence or an explanation may surround the
// object.
func object(text string) (string, error) {
	const tries = 64
	var first error
	for range tries {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		v, err := jsontext.NewDecoder(strings.NewReader(text)).ReadValue()
		if err == nil {
			return string(v), nil
		}
		if first == nil {
			first = err
		}
		text = text[1:]
	}
	if first == nil {
		return "", unusablef("the answer contains text but no JSON object")
	}
	return "", unusablef("the JSON object in the answer cannot be decoded (%s)", contracts.Clip(contracts.CleanLine(first.Error()), contracts.LimitPreview))
}

// decode finds the JSON object in an answer and decodes it.
func (r Parser) decode(text string, into any) error {
	find, wrong := block, "the JSON in its block does not have the requested format (%v)"
	if r.Object {
		find, wrong = object, "the JSON object does not match the schema (%v)"
	}
	body, err := find(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		return unusablef(wrong, contracts.Clip(contracts.CleanLine(err.Error()), contracts.LimitPreview))
	}
	return nil
}

// Plan reads an answer as a plan, with the most urgent tasks first.
func (r Parser) Plan(text string) (Plan, error) {
	var p Plan
	if err := r.decode(text, &p); err != nil {
		return Plan{}, err
	}
	p.Summary, p.Tasks = contracts.CleanText(p.Summary), cleanDrafts(p.Tasks)
	slices.SortStableFunc(p.Tasks, func(a, b contracts.TaskDraft) int { return a.Priority - b.Priority })
	if err := CheckPlan(p); err != nil {
		return Plan{}, asUnusable(err)
	}
	return p, nil
}

// cleanDrafts cleans the tasks in place. A task without a priority gets its position in the list as
// its priority.
func cleanDrafts(list []contracts.TaskDraft) []contracts.TaskDraft {
	for i := range list {
		d := &list[i]
		d.Title, d.Description = contracts.CleanLine(strings.TrimSpace(d.Title)), contracts.CleanText(strings.TrimSpace(d.Description))
		d.Kind = contracts.TaskKind(strings.ToLower(string(d.Kind)))
		d.Priority = min(max(cmp.Or(d.Priority, i+1), 1), contracts.LimitProjectTasks)
	}
	return list
}

// taskResult is the JSON object that ends work on a task. Models put a question in "question";
// agent programs put it in "ask".
type taskResult struct {
	Artifacts []deliverable         `json:"artifacts"`
	Ask       *Ask                  `json:"ask"`
	Question  *Ask                  `json:"question"`
	FollowUps []contracts.TaskDraft `json:"follow_ups"`
}

type deliverable struct {
	Artifact
	Path string `json:"path"`
}

// ask returns the question in a result, or nil. If the result uses the member "question" instead of
// "ask", a question with fewer than two options allows free text.
func (h *taskResult) ask() *Ask {
	q := h.Question
	if h.Ask != nil || q == nil || q.Prompt == "" && len(h.Artifacts) > 0 {
		return h.Ask
	}
	a := Ask{Prompt: strings.TrimSpace(q.Prompt), AllowFreeText: q.AllowFreeText || len(q.Options) < 2}
	for _, o := range q.Options {
		a.Options = append(a.Options, strings.TrimSpace(o))
	}
	return &a
}

// Result reads an answer as the result of a task.
func (r Parser) Result(text string, job TaskJob) (Result, error) {
	var h taskResult
	if err := r.decode(text, &h); err != nil {
		return Result{}, err
	}
	res := Result{Ask: h.ask()}
	for i, d := range h.Artifacts {
		a, err := d.complete(job, r)
		if err != nil {
			return Result{}, unusablef("artifact %d: %v", i+1, err)
		}
		res.Artifacts = append(res.Artifacts, a)
	}
	if res.Ask == nil {
		res.FollowUps = cleanDrafts(h.FollowUps)
	}
	if n := job.documents(); res.Ask == nil && len(res.Artifacts) < n {
		return Result{}, unusablef("each artifact that was sent back for changes needs a new version: want %d, got %d", n, len(res.Artifacts))
	}
	check := CheckResult
	if job.Task.Worktree != nil {
		check = checkInWorktree
	}
	if err := check(res); err != nil {
		return Result{}, asUnusable(err)
	}
	return res, nil
}

// documents counts the artifacts that were sent back, apart from patches, which the crew makes
// itself.
func (j TaskJob) documents() (n int) {
	for _, a := range j.Previous {
		if a.Type != contracts.ArtifactPatch {
			n++
		}
	}
	return n
}

// complete returns the artifact of a deliverable: it reads the file at Path, if Path is set, and
// fills in missing fields.
func (d deliverable) complete(job TaskJob, r Parser) (Artifact, error) {
	a := Artifact{
		Type: cmp.Or(contracts.CleanLine(strings.TrimSpace(d.Type)), typeOf(job.Task.Kind)), Title: cmp.Or(contracts.CleanLine(strings.TrimSpace(d.Title)), job.Task.Title),
		MIME: contracts.CleanLine(d.MIME), Content: d.Content,
	}
	switch {
	case d.Path != "" && d.Content != "":
		return a, errors.New("it has both content and a path; use only one of them")
	case d.Path == "":
		if a.MIME == "" || r.Object && !slices.Contains(MIMEs, a.MIME) {
			a.MIME = MIMEs[0]
		}
		a.Content = contracts.CleanText(a.Content)
		return a, nil
	}
	content, err := readFile(r.Workspace, d.Path)
	if err != nil {
		return a, err
	}
	a.Content, a.MIME = content, cmp.Or(a.MIME, mimeOf(d.Path, content))
	return a, nil
}

// MIMEs lists the MIME types that an agent without files can deliver.
var MIMEs = []string{"text/markdown", "text/plain", "text/html", "text/csv", "application/json"}

// typeOf returns the default artifact type for a kind of task.
func typeOf(k contracts.TaskKind) string {
	switch k {
	case contracts.KindResearch:
		return "report"
	case contracts.KindDesign:
		return "brief"
	}
	return cmp.Or(string(k), "document")
}

// wholeText returns a result with text as its only artifact, in Markdown.
func wholeText(text string, job TaskJob) Result {
	return Result{Artifacts: []Artifact{{
		Type: typeOf(job.Task.Kind), Title: job.Task.Title, MIME: "text/markdown",
		Content: contracts.CleanText(text[:min(len(text), contracts.LimitArtifactBytes)]),
	}}}
}

// Reply reads an answer as plain text. An empty answer is an error.
func (r Parser) Reply(text string) (Reply, error) {
	reply := Reply{Text: contracts.Clip(contracts.CleanText(strings.TrimSpace(text)), contracts.LimitChatText)}
	if contracts.Blank(reply.Text) {
		return Reply{}, unusablef("it is empty")
	}
	return reply, nil
}
