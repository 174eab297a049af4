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

// Changes returns the tree of the worktree's files, and the paths that differ from the base, under
// their old and new names. It writes nothing to the repository, so it can be called often.
func (w *Worktree) Changes(ctx context.Context) (tree string, paths []string, err error) {
	scratch, done, err := w.repo.Scratch(ctx)
	if err != nil {
		return "", nil, err
	}
	defer done()
	t, err := scratch.Tree(ctx)
	if err != nil {
		return "", nil, err
	}
	paths, err = changed(ctx, scratch, w.Base, t.Hash)
	return t.Hash, paths, err
}

func changed(ctx context.Context, repo *git.Repo, from, to string) ([]string, error) {
	return repo.List(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to, "--")
}

// Collisions returns the pairs of tasks that changed the same paths, sorted by task id. The tasks
// must belong to the same repository.
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
