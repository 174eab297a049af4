package world

import (
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Apply folds one record. It returns an error if the record refers to something that no earlier
// record created: the ledger is then damaged, or was not written by a director. After an error the
// world is unusable.
func (w *World) Apply(rec contracts.Record) error {
	if rec.Seq <= w.s.Seq {
		return fmt.Errorf("apply record %d: the world is already at %d", rec.Seq, w.s.Seq)
	}
	if rec.Kind == contracts.KindHUD {
		w.foldHUD(&rec)
	}
	if !HasLastingEffect(rec.Kind) {
		w.SkipTo(rec.Seq) // the record's time does not count, because retention may remove the record
		return nil
	}
	if err := w.fold(&rec); err != nil {
		return fmt.Errorf("apply record %d (%s): %w", rec.Seq, rec.ID, err)
	}
	w.s.Seq, w.s.TS = rec.Seq, rec.TS
	return nil
}

// HasLastingEffect reports whether records of a kind change more of the world than its open turns
// and calls and its agents' last impacts. Activity changes only these; workflow events and receipts
// change nothing.
func HasLastingEffect(k contracts.Kind) bool {
	return k != contracts.KindHUD && k != contracts.KindUI && k != contracts.KindReceipt
}

func (w *World) fold(rec *contracts.Record) error {
	body, err := rec.Decode()
	if err != nil {
		return err
	}
	switch b := body.(type) {
	case *contracts.Event:
		err := w.foldEvent(b, rec.Seq, rec.TS)
		w.foldRoomUse(rec.TS)
		return err
	case *contracts.AgentGoal:
		return w.foldGoal(b, rec.TS)
	case *contracts.Chat:
		w.foldChat(b, rec.Seq)
	case *contracts.Proposal:
		p, err := find(w.projects, b.ProjectID)
		if err != nil {
			return err
		}
		p.Proposal = b
	case *contracts.Run:
		t, err := find(w.tasks, b.TaskID)
		if err != nil {
			return err
		}
		w.foldRun(t, b)
	case *contracts.Owner:
		w.foldOwner(b, rec.TS)
	}
	return nil
}

func (w *World) foldGoal(g *contracts.AgentGoal, ts int64) error {
	a, err := find(w.agents, g.AgentID)
	if err != nil {
		return err
	}
	a.Goal, a.GoalTS, a.TaskID = *g, ts, g.TaskID
	if g.TaskID == "" && !a.Guest() {
		a.StatusLine = ""
	}
	return nil
}

func (w *World) foldChat(c *contracts.Chat, seq uint64) {
	if c.From == contracts.UserID {
		w.s.PendingChats = append(w.s.PendingChats, PendingChat{Seq: seq, Chat: *c})
		return
	}
	w.s.PendingChats = slices.DeleteFunc(w.s.PendingChats, func(p PendingChat) bool { return p.Seq == c.AnswersSeq })
}

func (w *World) foldEvent(e *contracts.Event, seq uint64, ts int64) error {
	switch e.Name {
	case contracts.EventOfficeCreated, contracts.EventAgentJoined:
		return w.foldOffice(e, seq)
	case contracts.EventAgentStatus:
		return w.foldStatus(e)
	case contracts.EventAgentReset, contracts.EventAgentSwitched:
		return w.foldControl(e)
	case contracts.EventAgentLeft:
		return w.foldAgentLeft(e)
	case contracts.EventRoomOpened, contracts.EventRoomChanged, contracts.EventRoomClosed:
		return w.foldRoom(e)
	case contracts.EventRuleAdded, contracts.EventRuleRevoked:
		return w.foldRule(e, ts)
	case contracts.EventRepoAdded, contracts.EventRepoRemoved:
		return w.foldRepo(e)
	case contracts.EventTaskPrepared, contracts.EventCheckFinished, contracts.EventTaskTreeChanged, contracts.EventLandingRequested,
		contracts.EventLandingChecked, contracts.EventLandingOpened, contracts.EventTaskLanded, contracts.EventLandingFailed:
		return w.foldProof(e, seq, ts)
	case contracts.EventCollisionSeen:
		return w.foldCollision(e)
	case contracts.EventReviewAssigned, contracts.EventReviewCommented, contracts.EventReviewFailed:
		return w.foldReview(e, ts)
	case contracts.EventAudited, contracts.EventRecordRedacted:
		return nil
	case contracts.EventUsageReported:
		w.foldUsage(e, ts)
		return nil
	case contracts.EventRequestSubmitted:
		return w.foldRequest(e, ts)
	case contracts.EventArtifactCreated, contracts.EventArtifactDelivered, contracts.EventReviewRequested,
		contracts.EventReviewApproved, contracts.EventReviewChangesRequested:
		return w.foldArtifact(e, ts)
	case contracts.EventDecisionRequested, contracts.EventDecisionResolved, contracts.EventDecisionCancelled:
		return w.foldDecision(e, ts)
	case contracts.EventTaskAssigned, contracts.EventTaskStarted, contracts.EventTaskProgress, contracts.EventTaskBlocked,
		contracts.EventTaskDone, contracts.EventTaskCancelled:
		return w.foldTask(e, ts)
	}
	return w.foldProject(e, ts)
}

func (w *World) foldOffice(e *contracts.Event, seq uint64) error {
	if e.OfficeID != "" {
		w.s.OfficeID = e.OfficeID
	}
	for _, profile := range e.Agents {
		a := w.agents[profile.AgentID]
		if a == nil {
			a = &Agent{}
			a.Goal.State = contracts.StateOffline // the agent is offline until it has its first goal
			w.s.Agents = append(w.s.Agents, a)
			w.agents[profile.AgentID] = a
		}
		if a.Node != profile.Node {
			a.NodeSeq, a.UnwatchedSince = seq, 0 // the reporting node is up
		}
		a.AgentProfile = profile
	}
	return nil
}

func find[T any](m map[string]*T, id string) (*T, error) {
	if row := m[id]; row != nil {
		return row, nil
	}
	return nil, fmt.Errorf("unknown id %q", id)
}

// SkipTo advances Seq past records that need not be folded, such as receipts and the activity that
// retention may remove.
func (w *World) SkipTo(seq uint64) { w.s.Seq = max(w.s.Seq, seq) }
