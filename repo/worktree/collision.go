package worktree

import (
	"context"
	"maps"
	"slices"

	"github.com/bullpen-office/bullpen/repo/git"
)

// Collision is a set of paths that several tasks have changed.
type Collision struct {
	Tasks []string
	Paths []string
}

// Changed lists the paths that differ between the base and a tree, under their old and new names.
func (w *Worktree) Changed(ctx context.Context, tree string) ([]string, error) {
	return changed(ctx, w.repo, w.Base, tree)
}

func changed(ctx context.Context, repo *git.Repo, from, to string) ([]string, error) {
	return repo.List(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to, "--")
}

// Collisions returns the pairs of tasks that changed the same paths, in the order of their ids. The
// tasks must belong to one repository.
func Collisions(paths map[string][]string) []Collision {
	var list []Collision
	tasks := slices.Sorted(maps.Keys(paths))
	for i, a := range tasks {
		mine := map[string]bool{}
		for _, p := range paths[a] {
			mine[p] = true
		}
		for _, b := range tasks[i+1:] {
			var both []string
			for _, p := range paths[b] {
				if mine[p] {
					both = append(both, p)
				}
			}
			if len(both) > 0 {
				slices.Sort(both)
				list = append(list, Collision{[]string{a, b}, both})
			}
		}
	}
	return list
}
