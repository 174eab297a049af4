package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
)

// commits creates the commits of a landing.
type commits struct {
	*Worktree
	Landing
	old string // commit of the target branch
}

func (c commits) make(ctx context.Context) (string, error) {
	if same, err := c.main.Run(ctx, "rev-parse", c.Base+"^{tree}"); err != nil {
		return "", err
	} else if same == c.Tree {
		return "", ErrNothing
	}
	list, err := c.history(ctx)
	if err != nil {
		return "", err
	}
	switch c.How {
	case Rebase:
		return c.rebase(ctx, list)
	case Squash:
		whole, err := c.commit(ctx, c.Tree, c.Base)
		if err != nil {
			return "", err
		}
		tree, err := c.merged(ctx, c.old, whole)
		if err != nil {
			return "", err
		}
		return c.commit(ctx, tree, c.old)
	}
	tip := list[len(list)-1]
	tree, err := c.merged(ctx, c.old, tip)
	if err != nil {
		return "", err
	}
	return c.commit(ctx, tree, c.old, tip)
}

// history returns the commits from the base to the delivered tree: the agent's commits, if they are
// linear, and one more commit for changes that the agent did not commit.
func (c commits) history(ctx context.Context) ([]string, error) {
	head, err := c.delivered(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.main.Verify(ctx, c.Base, c.Tree); err != nil {
		return nil, err
	}
	list, ok, err := c.since(ctx, head)
	if err != nil {
		return nil, err
	}
	if !ok {
		list, head = nil, c.Base
	}
	tree, err := c.main.Run(ctx, "rev-parse", head+"^{tree}")
	if err != nil || tree == c.Tree {
		return list, err
	}
	last, err := c.commit(ctx, c.Tree, head)
	return append(list, last), err
}

// since returns the commits from the base to head, oldest first; ok is false if they are not
// linear, or head does not contain the base.
func (c commits) since(ctx context.Context, head string) (list []string, ok bool, err error) {
	if _, err := c.main.Run(ctx, "merge-base", "--is-ancestor", c.Base, head); isGitError(err) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	out, err := c.main.Run(ctx, "rev-list", "--reverse", "--parents", c.Base+".."+head, "--")
	if err != nil {
		return nil, false, err
	}
	for line := range strings.Lines(out) {
		field := strings.Fields(line) // the commit and its parents
		if len(field) != 2 {
			return nil, false, nil
		}
		list = append(list, field[0])
	}
	return list, true, nil
}

// delivered returns the commit that was checked out when the tree was delivered.
func (c commits) delivered(ctx context.Context) (string, error) {
	list, err := c.main.Snapshots(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(s git.Snapshot) bool { return s.Tree == c.Tree && strings.HasPrefix(s.ID, c.Task+"/") })
	if i < 0 {
		return "", fmt.Errorf("%s: %w", c.Task, ErrNoTree)
	}
	return c.main.Run(ctx, "rev-parse", list[i].Commit+"^1")
}

// rebase copies each commit onto the target branch, and leaves out those that change nothing there.
func (c commits) rebase(ctx context.Context, list []string) (string, error) {
	tip := c.old
	for _, commit := range list {
		parent, err := c.main.Run(ctx, "rev-parse", commit+"^1")
		if err != nil {
			return "", err
		}
		if parent == tip {
			tip = commit
			continue
		}
		// A commit with the files of tip and the parent of commit makes that parent the merge base.
		onto, err := c.main.Run(ctx, "commit-tree", "-m", "tip", "-p", parent, tip+"^{tree}")
		if err != nil {
			return "", err
		}
		tree, err := c.merged(ctx, onto, commit)
		if err != nil {
			return "", err
		}
		if same, err := c.main.Run(ctx, "rev-parse", tip+"^{tree}"); err != nil {
			return "", err
		} else if same == tree {
			continue
		}
		if tip, err = c.copyOf(ctx, commit, tree, tip); err != nil {
			return "", err
		}
	}
	if tip == c.old {
		return "", ErrNothing
	}
	return tip, nil
}

// copyOf creates a commit with another commit's author and message.
func (c commits) copyOf(ctx context.Context, commit, tree, parent string) (string, error) {
	out, err := c.main.Run(ctx, "show", "--no-patch", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", commit, "--")
	if err != nil {
		return "", err
	}
	field := strings.SplitN(out, "\x00", 4)
	if len(field) != 4 {
		return "", fmt.Errorf("git show printed an unexpected description of %s", commit)
	}
	made, err := c.main.Output(ctx, git.Call{
		Args: []string{"commit-tree", "-F", "-", "-p", parent, tree}, In: []byte(field[3]),
		Env: []string{"GIT_AUTHOR_NAME=" + field[0], "GIT_AUTHOR_EMAIL=" + field[1], "GIT_AUTHOR_DATE=" + field[2]},
	})
	return strings.TrimSpace(string(made)), err
}

// merged merges two commits and returns the resulting tree.
func (c commits) merged(ctx context.Context, ours, theirs string) (string, error) {
	out, err := c.main.Output(ctx, git.Call{Args: []string{"merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs}})
	var failed *git.Error
	if errors.As(err, &failed) && failed.Code == 1 {
		rows := strings.Split(strings.TrimRight(string(failed.Output), "\x00"), "\x00")
		if len(rows) > 1 { // the tree with conflict markers, and the conflicting paths
			return "", &ConflictError{c.Target, rows[1:]}
		}
	}
	tree, _, _ := strings.Cut(string(out), "\x00")
	return tree, err
}

// commit creates a commit with the office as its author.
func (c commits) commit(ctx context.Context, tree string, parents ...string) (string, error) {
	title := hud.Line(c.Title, contracts.LimitTaskTitle)
	if title == "" {
		title = "Changes from " + c.Task
	}
	args := []string{"commit-tree", "-m", title, "-m", "Bullpen-Task: " + c.Task}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return c.main.Run(ctx, append(args, tree)...)
}
