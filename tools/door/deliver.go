package door

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/world"
)

// Deliver stores the artifacts and ends the agent's attempt at the task with those artifacts as its
// result.
func (d *desk) Deliver(ctx context.Context, r tools.Delivery) (tools.Delivered, error) {
	_, me, err := d.caller(ctx, "delivered a task")
	if err != nil {
		return tools.Delivered{}, err
	}
	t, err := d.ownTask(me, r.TaskID)
	if err != nil {
		return tools.Delivered{}, err
	}
	drafts, content, err := draftsOf(r.Artifacts)
	if err != nil {
		return tools.Delivered{}, err
	}
	end := contracts.RunDelivered{TaskID: t.TaskID, Attempt: t.Attempt}
	if open, sentBack := d.attempt(t.TaskID); open {
		if n := len(drafts); n < sentBack {
			return tools.Delivered{}, contracts.RefuseField("artifacts", "each artifact that was sent back for changes needs a new version: want %d, got %d", sentBack, n)
		}
		for i, a := range r.Artifacts {
			if _, err := d.Blobs.PutBlob(ctx, []byte(a.Content)); err != nil {
				return tools.Delivered{}, fmt.Errorf("artifact %q could not be stored: %w; try again", drafts[i].Title, err)
			}
		}
		end.Artifacts = drafts
	} // otherwise only a repeated call can succeed, and it needs no artifacts
	duplicate, err := d.tell(ctx, end, me.AgentID, "deliver", r.RequestID, append(content, t.TaskID)...)
	if err != nil {
		return tools.Delivered{}, err
	}
	if open, _ := d.attempt(t.TaskID); duplicate && open {
		return tools.Delivered{}, contracts.Refuse(contracts.CodeConflict, "these results of %q have already been delivered, and changes were requested: take_task returns the requested changes; to deliver the same results again, use a new request_id", t.Title)
	}
	return tools.Delivered{TaskID: t.TaskID, Artifacts: d.artifacts(t.TaskID, drafts), Next: "A person reviews the results. If changes are requested, take_task returns them."}, nil
}

// draftsOf checks artifacts and returns their drafts, and the values that identify the drafts.
func draftsOf(artifacts []tools.Artifact) (drafts []contracts.ArtifactDraft, content []string, err error) {
	if n := len(artifacts); n == 0 || n > contracts.LimitTurnArtifacts {
		return nil, nil, contracts.RefuseField("artifacts", "deliver 1 to %d artifacts, not %d", contracts.LimitTurnArtifacts, n)
	}
	for i, a := range artifacts {
		if n := len(a.Content); n > contracts.LimitToolArtifact {
			return nil, nil, contracts.RefuseField(fmt.Sprintf("artifacts.%d.content", i), "the content is too large: %d bytes (limit %d)", n, contracts.LimitToolArtifact)
		}
		if contracts.Blank(contracts.CleanLine(a.Title)) || contracts.Blank(a.Content) {
			return nil, nil, contracts.RefuseField(fmt.Sprintf("artifacts.%d", i), "an artifact needs a title and content")
		}
		sum := sha256.Sum256([]byte(a.Content))
		draft := contracts.ArtifactDraft{
			Type: cmp.Or(contracts.CleanLine(a.Type), "report"), Title: contracts.CleanLine(a.Title), MIME: cmp.Or(contracts.CleanLine(a.MIME), "text/markdown"), Bytes: len(a.Content), SHA256: hex.EncodeToString(sum[:]),
		}
		drafts = append(drafts, draft)
		content = append(content, draft.Type, draft.Title, draft.MIME, draft.SHA256)
	}
	return drafts, content, nil
}

// attempt reports whether the last attempt at a task can still deliver, and how many artifacts were
// sent back for changes.
func (d *desk) attempt(taskID string) (open bool, sentBack int) {
	d.View.Look(func(w *world.World) {
		if t := w.Task(taskID); t != nil && t.Status == contracts.TaskInProgress && t.Run.Attempt == t.Attempt {
			open = t.Run.Status == contracts.RunStarted || t.Run.Status == contracts.RunRunning
			sentBack = len(w.TaskArtifacts(taskID, contracts.ArtifactChangesRequested))
		}
	})
	return open, sentBack
}

// artifacts returns, for each draft, the id of the task's newest artifact with the same content.
func (d *desk) artifacts(taskID string, drafts []contracts.ArtifactDraft) (ids []string) {
	d.View.Look(func(w *world.World) {
		for _, draft := range drafts {
			id := ""
			for _, a := range w.Artifacts() {
				if a.TaskID == taskID && a.SHA256 == draft.SHA256 {
					id = a.ArtifactID
				}
			}
			ids = append(ids, id)
		}
	})
	return ids
}
