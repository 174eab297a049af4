package view

import (
	"context"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// State returns a snapshot of the office, which is as current as the world that Look provides.
func (v *View) State() (snap contracts.Snapshot) {
	players, now := v.players(), v.ms()
	v.Look(func(w *world.World) { snap = w.Snapshot(now, players, v.sources) })
	return snap
}

func (v *View) ms() int64 { return v.now().UnixMilli() }

// Project returns a live project with its full text, which snapshots shorten. ok is false if no such
// project exists.
func (v *View) Project(id string) (row contracts.Project, ok bool) {
	v.Look(func(w *world.World) {
		if p := w.Project(id); p != nil {
			row, ok = w.ProjectRow(p), true
		}
	})
	return row, ok
}

// Task returns a task of a live project with its full text, which snapshots shorten. ok is false if
// no such task exists.
func (v *View) Task(id string) (row contracts.Task, ok bool) {
	v.Look(func(w *world.World) {
		if t := w.Task(id); t != nil {
			row, ok = w.TaskRow(t), true
		}
	})
	return row, ok
}

// Repo returns a repository of the office. ok is false if there is none with this name.
func (v *View) Repo(name string) (repo contracts.Repo, ok bool) {
	v.Look(func(w *world.World) {
		if r := w.Repo(name); r != nil {
			repo, ok = *r, true
		}
	})
	return repo, ok
}

// Artifact returns a deliverable in its current state. Once the deliverable's project is archived,
// it returns the deliverable as it was created, marked as archived. ok is false if there is no such
// deliverable.
func (v *View) Artifact(ctx context.Context, id string) (row contracts.Artifact, ok bool, err error) {
	v.Look(func(w *world.World) {
		if a := w.Artifact(id); a != nil {
			row, ok = *a, true
		}
	})
	if ok || !contracts.HasPrefix(id, contracts.PrefixArtifact) {
		return row, ok, nil
	}
	made, err := v.event(ctx, string(contracts.PrefixArtifact)+"/"+id)
	if err != nil || made == nil || made.Artifact == nil {
		return row, false, err
	}
	row = *made.Artifact
	if _, live := v.Project(row.ProjectID); !live {
		row.Status = contracts.ArtifactArchived
	}
	return row, true, nil
}

// Activity returns the activity fact with the given id, or nil if there is none.
func (v *View) Activity(ctx context.Context, id string) (*contracts.HUD, error) {
	if len(id) > contracts.LimitID {
		return nil, nil
	}
	rec, ok, err := v.ledger.Lookup(ctx, contracts.HUDKey(id))
	if !ok || err != nil {
		return nil, err
	}
	body, err := rec.Decode()
	if err != nil {
		return nil, err
	}
	h, _ := body.(*contracts.HUD)
	return h, nil
}
