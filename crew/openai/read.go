package openai

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// draft is a task as the model writes it.
type draft struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Kind        string `json:"kind"`
	Priority    int    `json:"priority"`
}

// decode reads the one object that was asked for into out.
func decode(answer string, out any) error {
	v, err := firstObject(answer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(v, out); err != nil {
		return malformed("the JSON object does not follow the schema (%s)", contracts.Clip(contracts.CleanLine(err.Error()), contracts.LimitPreview))
	}
	return nil
}

// checked makes what the crew would refuse something that the model can mend.
func checked(err error) error {
	if err == nil {
		return nil
	}
	return errMalformed{errors.New(strings.TrimPrefix(err.Error(), "the worker's answer cannot be used: "))}
}

func drafts(list []draft) []contracts.TaskDraft {
	var out []contracts.TaskDraft
	for i, d := range list {
		out = append(out, contracts.TaskDraft{
			Title: strings.TrimSpace(d.Title), Description: strings.TrimSpace(d.Description), Kind: contracts.TaskKind(strings.ToLower(d.Kind)),
			Priority: min(max(cmp.Or(d.Priority, i+1), 1), contracts.LimitProjectTasks),
		})
	}
	return out
}

func readPlan(answer string) (crew.Plan, error) {
	var said struct {
		Summary string  `json:"summary"`
		Tasks   []draft `json:"tasks"`
	}
	if err := decode(answer, &said); err != nil {
		return crew.Plan{}, err
	}
	p := crew.Plan{Summary: said.Summary, Tasks: drafts(said.Tasks)}
	slices.SortStableFunc(p.Tasks, func(a, b contracts.TaskDraft) int { return a.Priority - b.Priority })
	return p, checked(crew.CheckPlan(p))
}

func readResult(answer string, job crew.TaskJob) (crew.Result, error) {
	var said struct {
		Question *struct {
			Prompt        string   `json:"prompt"`
			Options       []string `json:"options"`
			AllowFreeText bool     `json:"allow_free_text"`
		} `json:"question"`
		Artifacts []struct {
			Type    string `json:"type"`
			Title   string `json:"title"`
			MIME    string `json:"mime"`
			Content string `json:"content"`
		} `json:"artifacts"`
		FollowUps []draft `json:"follow_ups"`
	}
	if err := decode(answer, &said); err != nil {
		return crew.Result{}, err
	}
	if q := said.Question; q != nil && (q.Prompt != "" || len(said.Artifacts) == 0) {
		res := crew.Result{Ask: &crew.Ask{Prompt: strings.TrimSpace(q.Prompt), AllowFreeText: q.AllowFreeText || len(q.Options) < 2}}
		for _, o := range q.Options {
			res.Ask.Options = append(res.Ask.Options, strings.TrimSpace(o))
		}
		if len(said.Artifacts) > 0 {
			return crew.Result{}, malformed("there are both a question and artifacts; a question comes alone, and the work follows once it is answered")
		}
		return res, checked(crew.CheckResult(res))
	}
	res := crew.Result{FollowUps: drafts(said.FollowUps)}
	for _, a := range said.Artifacts {
		res.Artifacts = append(res.Artifacts, crew.Artifact{
			Type: cmp.Or(strings.TrimSpace(a.Type), typeOf(job.Task.Kind)), Title: contracts.CleanLine(strings.TrimSpace(cmp.Or(a.Title, job.Task.Title))),
			MIME: mimeOf(a.MIME), Content: a.Content,
		})
	}
	if n := len(job.Previous); len(res.Artifacts) < n {
		return res, malformed("%d artifact(s) were sent back for changes and each needs a new version, but there are only %d", n, len(res.Artifacts))
	}
	return res, checked(crew.CheckResult(res))
}

func mimeOf(said string) string {
	if slices.Contains(mimes, said) {
		return said
	}
	return mimes[0]
}

// typeOf is what a kind of work delivers.
func typeOf(k contracts.TaskKind) string {
	switch k {
	case contracts.KindResearch:
		return "report"
	case contracts.KindDesign:
		return "brief"
	case contracts.KindCopy, contracts.KindCode, contracts.KindReview:
		return string(k)
	}
	return "plan"
}

func readReply(answer string, job crew.ChatJob) (crew.Reply, error) {
	r := crew.Reply{Text: strings.TrimSpace(answer)}
	if len(job.Summary.Projects) > 0 {
		r.SuggestedActions = []contracts.SuggestedAction{{Action: "open_task_board", Label: "Open the task board"}}
	}
	return r, checked(crew.CheckReply(r))
}
