package hub

import (
	"reflect"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// diffSnapshot returns the delta from old to now: the rows that changed, in full, and the ids of
// the rows that were removed. changed is false if nothing differs.
func diffSnapshot(old, now *contracts.Snapshot) (d contracts.Snapshot, changed bool) {
	d = contracts.Snapshot{Seq: now.Seq, SceneID: now.SceneID, Mode: "delta"}
	var gone []string
	d.Agents = diffRows(old.Agents, now.Agents, func(r *contracts.Agent) string { return r.AgentID }, &gone)
	d.Projects = diffRows(old.Projects, now.Projects, func(r *contracts.Project) string { return r.ProjectID }, &gone)
	d.Tasks = diffRows(old.Tasks, now.Tasks, func(r *contracts.Task) string { return r.TaskID }, &gone)
	d.Artifacts = diffRows(old.Artifacts, now.Artifacts, func(r *contracts.Artifact) string { return r.ArtifactID }, &gone)
	d.Decisions = diffRows(old.Decisions, now.Decisions, func(r *contracts.Decision) string { return r.DecisionID }, &gone)
	d.OfficeDecor = diffRows(old.OfficeDecor, now.OfficeDecor, func(r *contracts.Decor) string { return r.DecorID }, &gone)
	if rooms := diffRows(old.Rooms, now.Rooms, func(r *contracts.Room) string { return r.RoomID }, &gone); len(rooms) > 0 {
		d.Rooms = rooms
	}
	if !slices.Equal(old.Repos, now.Repos) {
		d.Repos = append([]contracts.Repo{}, now.Repos...)
	}
	d.Players = diffRows(old.Players, now.Players, func(r *contracts.Player) string { return r.PlayerID }, &gone)
	d.Removed = gone
	if !reflect.DeepEqual(old.Usage, now.Usage) {
		d.Usage = now.Usage
	}
	rows := len(d.Agents) + len(d.Projects) + len(d.Tasks) + len(d.Artifacts) + len(d.Decisions) + len(d.OfficeDecor) + len(d.Rooms) + len(d.Players)
	return d, rows+len(gone) > 0 || d.Usage != nil || d.Repos != nil
}

func diffRows[T any](old, now []T, id func(*T) string, gone *[]string) []T {
	before := make(map[string]*T, len(old))
	for i := range old {
		before[id(&old[i])] = &old[i]
	}
	changed := []T{}
	for i := range now {
		row := &now[i]
		was, ok := before[id(row)]
		if !ok || !reflect.DeepEqual(was, row) {
			changed = append(changed, *row)
		}
		delete(before, id(row))
	}
	for i := range old {
		if key := id(&old[i]); before[key] != nil {
			*gone = append(*gone, key)
		}
	}
	return changed
}
