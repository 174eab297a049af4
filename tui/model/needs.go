package model

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// NeedKind is what a person is needed for.
type NeedKind string

// The kinds of needs.
const (
	NeedDecision   NeedKind = "decision"
	NeedPermission NeedKind = "permission"
	NeedReview     NeedKind = "review"
)

// Need is something that waits for the person.
type Need struct {
	Ref     string // of the decision or the artifact
	Kind    NeedKind
	Title   string
	AgentID string
	Since   int64
	Until   int64 // after which nobody waits for the answer; 0 means no end
}

// Needs is what waits for the person, oldest first.
func (r *Rows) Needs() []Need {
	var list []Need
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.Status != contracts.DecisionOpen {
			continue
		}
		kind := NeedDecision
		if d.Kind == contracts.DecisionPermission {
			kind = NeedPermission
		}
		list = append(list, Need{d.DecisionID, kind, d.Prompt, d.AskedBy, d.AskedAt, d.ExpiresAt})
	}
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		if a.Status != contracts.ArtifactInReview {
			continue
		}
		n := Need{Ref: a.ArtifactID, Kind: NeedReview, Title: cmp.Or(a.Title, a.Type), AgentID: a.CreatedBy}
		if t := r.Task(a.TaskID); t != nil {
			n.Since = t.UpdatedAt // a review begins with the last change of its task
		}
		list = append(list, n)
	}
	slices.SortStableFunc(list, func(a, b Need) int { return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Ref, b.Ref)) })
	return list
}
