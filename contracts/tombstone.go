package contracts

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Redacted replaces erased text.
const Redacted = "[redacted]"

// Redaction identifies a record whose text was erased, and contains the hash of the record's
// tombstone.
type Redaction struct {
	Seq    uint64 `json:"seq"`    // seq of the record whose text was erased
	SHA256 string `json:"sha256"` // hash of the tombstone
}

// Tombstone returns the body that remains when a record's text is erased: ids, numbers and states
// are kept, so that the record folds as before, and all text is replaced by Redacted. Hashes of
// content are removed too, because a hash could confirm a guess. texts contains the erased strings
// that other records may repeat, except the office's own words. body is nil if the record has no
// text.
func (r *Record) Tombstone() (body []byte, texts []string, err error) {
	fresh := *r
	fresh.value = nil // the decoded body is shared
	b, err := fresh.Decode()
	if err != nil {
		return nil, nil, err
	}
	var e eraser
	e.body(b)
	if !e.erased {
		return nil, nil, nil
	}
	if body, err = json.Marshal(b, json.Deterministic(true)); err != nil {
		return nil, nil, fmt.Errorf("encode tombstone of record %d: %w", r.Seq, err)
	}
	return body, e.texts, nil
}

// AsTombstone returns a copy of the record with the tombstone body in place of its text.
func (r *Record) AsTombstone(body []byte) Record {
	return Record{Seq: r.Seq, TS: r.TS, Kind: r.Kind, ID: r.ID, Key: r.Key, Body: body, Redacted: true}
}

// eraser replaces strings with Redacted and collects the erased strings.
type eraser struct {
	texts  []string
	erased bool
}

func (e *eraser) markErased(texts ...string) {
	e.texts, e.erased = append(e.texts, texts...), true
}

func (e *eraser) text(all ...*string) {
	for _, p := range all {
		if *p != "" && *p != Redacted {
			e.markErased(*p)
			*p = Redacted
		}
	}
}

// words erases strings that are mostly the office's own words. It does not collect them.
func (e *eraser) words(all ...*string) {
	for _, p := range all {
		if *p != "" && *p != Redacted {
			e.markErased()
			*p = Redacted
		}
	}
}

func (e *eraser) list(texts []string) {
	for i := range texts {
		e.text(&texts[i])
	}
}

// hash removes the hash of stored content.
func (e *eraser) hash(p *string) {
	if *p != "" {
		e.markErased()
		*p = ""
	}
}

// value replaces a JSON value of any type, including its member names.
func (e *eraser) value(p *jsontext.Value) {
	marker := jsontext.Value(`"` + Redacted + `"`)
	if *p == nil || string(*p) == string(marker) {
		return
	}
	var nested any
	if json.Unmarshal(*p, &nested, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil {
		e.collectNested(nested)
	}
	e.markErased()
	*p = marker
}

func (e *eraser) collectNested(value any) {
	switch v := value.(type) {
	case string:
		e.markErased(v)
	case []any:
		for _, one := range v {
			e.collectNested(one)
		}
	case map[string]any:
		for _, one := range v {
			e.markErased()
			e.collectNested(one)
		}
	}
}

func (e *eraser) body(b Body) {
	switch b := b.(type) {
	case *Event:
		e.event(b)
	case *Chat:
		e.text(&b.Text)
		for i := range b.SuggestedActions {
			e.words(&b.SuggestedActions[i].Label)
		}
	case *AgentGoal:
		e.text(&b.Why)
	case *HUD:
		e.text(&b.Label, &b.Said, &b.Root)
		if b.Impact != nil {
			e.text(&b.Impact.What)
		}
		e.value(&b.Args)
		e.value(&b.Result)
		e.value(&b.Payload)
		e.hash(&b.ResultSHA256)
	case *UI:
		e.value(&b.Normalized)
		e.value(&b.Raw)
		// An ignored event is not drawn, so it needs no shape.
		b.Kind, b.Normalized, b.Ignored = "", nil, Redacted
	case *Receipt:
		e.words(&b.Fingerprint)
	case *Proposal:
		e.text(&b.Summary, &b.Reason)
		for i := range b.Tasks {
			e.text(&b.Tasks[i].Title, &b.Tasks[i].Description)
		}
	case *Run:
		e.text(&b.Reason)
	}
}

func (e *eraser) event(b *Event) {
	e.text(&b.PreviewText, &b.Note, &b.Instructions, &b.Reason)
	e.choice(&b.Choice, b.Choices)
	if b.Meta != nil {
		e.words(&b.Meta.Title)
		e.text(&b.Meta.Summary)
	}
	if b.Project != nil {
		e.project(b.Project)
	}
	for i := range b.Tasks {
		e.text(&b.Tasks[i].Title, &b.Tasks[i].Description, &b.Tasks[i].BlockedReason)
	}
	if b.Decision != nil {
		e.decision(b.Decision)
	}
	if b.Artifact != nil {
		e.text(&b.Artifact.Title)
		e.hash(&b.Artifact.SHA256)
	}
	if b.Decor != nil {
		e.text(&b.Decor.Outcome)
	}
	if b.Room != nil {
		e.text(&b.Room.Key, &b.Room.Label)
	}
	if b.Rule != nil {
		e.rule(b.Rule)
	}
	e.repository(b)
	for i := range b.Agents {
		e.text(&b.Agents[i].Name, &b.Agents[i].Place, &b.Agents[i].Repo)
	}
	if b.Status != nil {
		e.words(&b.Status.Why)
		e.text(&b.Status.Line, &b.Status.Said)
		for i := range b.Status.Evidence {
			e.words(&b.Status.Evidence[i].Says)
		}
	}
}

// repository erases paths, commands and output hashes. It keeps names, branches and git object ids,
// which identify a repository, a worktree and what was checked.
func (e *eraser) repository(b *Event) {
	if b.Repo != nil {
		e.text(&b.Repo.Path, &b.Repo.Remote)
	}
	if b.Worktree != nil {
		e.worktree(b.Worktree)
	}
	if b.Check != nil {
		e.check(b.Check)
	}
	if b.Landing != nil {
		e.landing(b.Landing)
	}
	if b.Collision != nil {
		e.list(b.Collision.Paths)
	}
	if b.Review != nil {
		e.review(b.Review)
	}
	if b.Artifact != nil {
		for i := range b.Artifact.Reviews {
			e.review(&b.Artifact.Reviews[i])
		}
	}
	for i := range b.Tasks {
		e.task(&b.Tasks[i])
	}
}

func (e *eraser) worktree(w *Worktree) {
	e.text(&w.Dir)
	for i := range w.Checks {
		e.text(&w.Checks[i].Command)
	}
}

func (e *eraser) check(r *CheckResult) {
	e.text(&r.Command, &r.Reason)
	e.hash(&r.OutputSHA256)
	e.hash(&r.LogSHA256)
}

func (e *eraser) landing(l *Landing) {
	e.text(&l.Reason)
	e.list(l.Conflicts)
	if l.Pull != nil {
		e.text(&l.Pull.Remote, &l.Pull.URL)
	}
}

// review erases the reviewer's text and the paths of the findings. It keeps the number of findings,
// and their lines and severities.
func (e *eraser) review(r *Review) {
	e.text(&r.Summary, &r.Reason)
	for i := range r.Findings {
		e.text(&r.Findings[i].Path, &r.Findings[i].Text)
	}
}

// task erases a task's information about its repository.
func (e *eraser) task(t *Task) {
	if t.Worktree != nil {
		e.worktree(t.Worktree)
	}
	if t.Landing != nil {
		e.landing(t.Landing)
	}
	for i := range t.Checks {
		e.check(&t.Checks[i])
	}
	for i := range t.Collisions {
		e.list(t.Collisions[i].Paths)
	}
}

func (e *eraser) project(p *Project) {
	e.text(&p.Title, &p.Request)
	e.list(p.Accept)
	for _, one := range p.Constraints {
		e.markErased()
		e.collectNested(one)
	}
	e.collectNested(p.Attachments)
	p.Constraints, p.Attachments = nil, nil
}

// decision erases a decision's text. It keeps the options of permission and retry decisions: they
// are the office's own words, and the answer is compared with them. Other options are replaced by
// numbered options.
func (e *eraser) decision(d *Decision) {
	e.words(&d.Header)
	e.text(&d.Prompt, &d.Note, &d.Reason)
	if d.Kind != DecisionPermission && d.Kind != DecisionRetry {
		for i := range d.Options {
			e.text(&d.Options[i])
			d.Options[i] = fmt.Sprintf("%s %d", Redacted, i+1)
		}
	}
	e.list(d.Descriptions)
	e.choice(&d.Choice, d.Choices)
	if p := d.Permission; p != nil {
		e.text(&p.Label, &p.Place, &p.Grants)
		e.value(&p.Args)
	}
	if s := d.Session; s != nil {
		e.text(&s.Agent.Name, &s.Agent.Place, &s.Agent.Repo, &s.Checked.Edit.What)
		for _, i := range []*Impact{s.Checked.Check, s.Checked.Command} {
			if i != nil {
				e.text(&i.What)
			}
		}
	}
	e.words(&d.NoRule)
	if d.AlwaysAdds != nil {
		e.rule(d.AlwaysAdds)
	}
}

// rule erases an allow rule's reason and every pattern that may contain text from a call, so the
// rule no longer matches any call.
func (e *eraser) rule(r *Rule) {
	e.text(&r.Reason)
	for _, patterns := range [][]string{r.Command, r.Path, r.Host, r.Repo} {
		e.list(patterns)
	}
}

// choice erases an answer, unless it is an answer to a permission request.
func (e *eraser) choice(one *string, all []string) {
	if *one == OptionAllow || *one == OptionAlways || *one == OptionDeny {
		return
	}
	e.text(one)
	e.list(all)
}
