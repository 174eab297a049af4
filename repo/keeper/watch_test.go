package keeper

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// office is the state of an office, and the facts that a keeper reported to it.
type office struct {
	w     *world.World
	facts []contracts.Fact
}

func (o *office) Peek(fn func(*world.World)) { fn(o.w) }
func (o *office) Changed() <-chan struct{}   { return nil }

func (o *office) Record(_ context.Context, f contracts.Fact) error {
	o.facts = append(o.facts, f)
	return nil
}

// A restarted keeper continues from the recorded collisions on its node: it reports what has
// changed, and clears those that have ended. Collisions on other nodes are left alone.
func TestCollisionsAfterARestart(t *testing.T) {
	o := &office{w: world.New(scene.Default())}
	for i, e := range []*contracts.Event{
		{Name: contracts.EventOfficeCreated, OfficeID: "ltest"},
		{Name: contracts.EventRepoAdded, Repo: &contracts.Repo{Name: "shop", Path: "/shop", Node: "a"}},
		{Name: contracts.EventRepoAdded, Repo: &contracts.Repo{Name: "docs", Path: "/docs", Node: "b"}},
		{Name: contracts.EventRequestSubmitted, ProjectID: "proj_p1", Project: &contracts.Project{ProjectID: "proj_p1"}},
		{Name: contracts.EventTasksCreated, ProjectID: "proj_p1", Tasks: []contracts.Task{
			{TaskID: "task_t1", ProjectID: "proj_p1"}, {TaskID: "task_t2", ProjectID: "proj_p1"}, {TaskID: "task_t3", ProjectID: "proj_p1"},
			{TaskID: "task_t4", ProjectID: "proj_p1"}, {TaskID: "task_t5", ProjectID: "proj_p1"},
		}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t1", Worktree: &contracts.Worktree{Repo: "shop"}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t2", Worktree: &contracts.Worktree{Repo: "shop"}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t3", Worktree: &contracts.Worktree{Repo: "shop"}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t4", Worktree: &contracts.Worktree{Repo: "docs"}},
		{Name: contracts.EventTaskPrepared, TaskID: "task_t5", Worktree: &contracts.Worktree{Repo: "docs"}},
		{Name: contracts.EventCollisionSeen, Collision: &contracts.Collision{TaskIDs: []string{"task_t1", "task_t2"}, Paths: []string{"a"}}},
		{Name: contracts.EventCollisionSeen, Collision: &contracts.Collision{TaskIDs: []string{"task_t1", "task_t3"}, Paths: []string{"b"}}},
		{Name: contracts.EventCollisionSeen, Collision: &contracts.Collision{TaskIDs: []string{"task_t4", "task_t5"}, Paths: []string{"c"}}},
	} {
		rec, err := contracts.NewRecord(uint64(i)+1, int64(i)+1, "", e)
		if err == nil {
			err = o.w.Apply(rec)
		}
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
	}
	k := New(Config{Node: "a", Office: o, View: o})
	for _, c := range []struct {
		edited map[string][]string
		want   []contracts.Fact
	}{
		{map[string][]string{"task_t1": {"a", "b"}, "task_t2": {"a"}, "task_t3": {"b"}}, nil},
		{map[string][]string{"task_t1": {"a"}, "task_t2": {"a"}, "task_t3": {"b"}}, []contracts.Fact{contracts.CollisionSeen{TaskIDs: []string{"task_t1", "task_t3"}}}},
		{map[string][]string{"task_t1": {"a", "b"}, "task_t2": {"a", "b"}, "task_t3": {"b"}}, []contracts.Fact{
			contracts.CollisionSeen{TaskIDs: []string{"task_t1", "task_t2"}, Paths: []string{"a", "b"}},
			contracts.CollisionSeen{TaskIDs: []string{"task_t2", "task_t3"}, Paths: []string{"b"}},
		}},
	} {
		o.facts = nil
		k.recordCollisions(t.Context(), map[string]map[string][]string{"shop": c.edited})
		slices.SortFunc(o.facts, func(a, b contracts.Fact) int {
			return strings.Compare(joined(a.(contracts.CollisionSeen).TaskIDs), joined(b.(contracts.CollisionSeen).TaskIDs))
		})
		if diff := cmp.Diff(c.want, o.facts); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.edited, diff)
		}
	}
}
