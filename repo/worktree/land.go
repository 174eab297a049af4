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

// Methods of landing changes in the target branch.
const (
	Merge  = "merge"  // a merge commit
	Squash = "squash" // one commit
	Rebase = "rebase" // the agent's commits, on top of the target branch
)

// Landing is a request to land a task's changes in its target branch.
type Landing struct {
	Tree       string // the delivered tree; a snapshot of the task must contain it
	How        string // Merge, Squash or Rebase
	Title      string // first line of the commit message
	AllowMoved bool   // land even if the target branch has new commits since the task's base
	DryRun     bool   // do not move the target branch
}

// Landed describes how the target branch changed, or would change.
type Landed struct {
	Commit        string // the new commit of the target branch
	Target        string
	From          string // the target branch's previous commit
	Tree          string // the tree of Commit
	AlreadyLanded bool   // the changes had already landed, so nothing was done
}

// ConflictError means that the changes conflict with the current target branch.
type ConflictError struct {
	Target string
	Paths  []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the changes conflict with %s in %s", e.Target, hud.Line(strings.Join(e.Paths, ", "), contracts.LimitNote))
}

// DirtyError means that the target branch is checked out, and that landing would overwrite files
// that have uncommitted changes.
type DirtyError struct {
	Dir   string
	Paths []string
}

func (e *DirtyError) Error() string {
	return fmt.Sprintf("%s has uncommitted changes in files that would be replaced: commit or stash %s, and try again", e.Dir, hud.Line(strings.Join(e.Paths, ", "), contracts.LimitNote))
}

// Reasons why changes cannot land.
var (
	ErrMoved     = errors.New("the target branch has new commits since the checks ran: update the task's worktree and check it again")
	ErrRewritten = errors.New("the target branch no longer contains the commit that the task started from")
	ErrNoTree    = errors.New("no snapshot of the task contains the delivered files")
	ErrNothing   = errors.New("the delivered files are the same as before, so there is nothing to land")
	ErrChanged   = errors.New("the files changed after they were approved: restore them, and try again")
	ErrFilter    = errors.New("files that would be replaced use a filter, such as git-lfs, and Bullpen never runs filters")
)

// Land makes the delivered tree part of the target branch. It is safe to call again: it detects
// changes that have already landed in the target branch. The files of the worktree are not used.
func (w *Worktree) Land(ctx context.Context, l Landing) (Landed, error) {
	if l.How != Merge && l.How != Squash && l.How != Rebase {
		return Landed{}, fmt.Errorf("unknown landing method %q: use %s, %s or %s", l.How, Merge, Squash, Rebase)
	}
	ctx, unlock, err := lock(ctx, w.main)
	if err != nil {
		return Landed{}, err
	}
	defer unlock()
	old, ok, err := commitOf(ctx, w.main, w.targetRef())
	if err != nil {
		return Landed{}, err
	}
	if !ok {
		return Landed{}, fmt.Errorf("%s: %w", w.Target, ErrNoCommit)
	}
	if done, ok, err := w.landed(ctx, l, old); err != nil || ok {
		return done, err
	}
	done, err := w.prepare(ctx, l, old)
	if err != nil || l.DryRun {
		return done, err
	}
	// Recorded before the branch moves, so that a repeated attempt finds this commit.
	if _, err := w.main.Run(ctx, "update-ref", hiddenRef(w.Task, landingKind(l)), done.Commit, ""); err != nil {
		return Landed{}, err
	}
	return done, w.move(ctx, done)
}

func (w *Worktree) targetRef() string { return "refs/heads/" + w.Target }

// landingKind returns the kind of hidden ref that is used for commits that land l.Tree.
func landingKind(l Landing) string { return "landing-" + l.Tree }

// landed looks for an earlier landing of the same tree in the target branch. An agent can create refs
// too, so a commit counts only if it contains the changes.
func (w *Worktree) landed(ctx context.Context, l Landing, target string) (Landed, bool, error) {
	out, err := w.main.Run(ctx, "for-each-ref", "--merged="+target, "--format=%(objectname) %(tree)", "refs/bullpen/"+w.Task+"/"+landingKind(l)+"/")
	if err != nil {
		return Landed{}, false, err
	}
	for line := range strings.Lines(out) {
		commit, tree, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok { // not a commit
			continue
		}
		if ok, err := w.contains(ctx, l, commit, tree); err != nil {
			return Landed{}, false, err
		} else if ok {
			return Landed{Commit: commit, Target: w.Target, From: target, Tree: tree, AlreadyLanded: true}, true, nil
		}
	}
	return Landed{}, false, nil
}

// contains reports whether the changes from the base to the tree are part of a commit, that
// is, whether merging them into the commit changes nothing.
func (w *Worktree) contains(ctx context.Context, l Landing, commit, tree string) (bool, error) {
	c := commits{Worktree: w, Landing: l}
	whole, err := c.commit(ctx, l.Tree, w.Base)
	if err != nil {
		return false, err
	}
	merged, err := c.merged(ctx, commit, whole)
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return false, nil
	}
	return merged == tree, err
}

// prepare creates the new commit of the target branch, and checks that the branch can move to it.
func (w *Worktree) prepare(ctx context.Context, l Landing, old string) (Landed, error) {
	if _, err := w.main.Run(ctx, "merge-base", "--is-ancestor", w.Base, old); err != nil {
		if isGitError(err) {
			err = fmt.Errorf("%s: %w", w.Target, ErrRewritten)
		}
		return Landed{}, err
	}
	c := commits{Worktree: w, Landing: l, old: old}
	commit, err := c.make(ctx)
	if err != nil {
		return Landed{}, err
	}
	if err := w.main.Verify(ctx, old, commit); err != nil { // also verifies the agent's commits
		return Landed{}, err
	}
	tree, err := w.main.Run(ctx, "rev-parse", commit+"^{tree}")
	if err != nil {
		return Landed{}, err
	}
	done := Landed{Commit: commit, Target: w.Target, From: old, Tree: tree}
	if tree != l.Tree && !l.AllowMoved {
		return done, fmt.Errorf("%s: %w", w.Target, ErrMoved)
	}
	dir, err := w.checkout(ctx)
	if err != nil || dir == "" {
		return done, err
	}
	return done, checkMove(ctx, dir, old, commit)
}

// checkout returns the directory in which the target branch is checked out, or "".
func (w *Worktree) checkout(ctx context.Context) (string, error) {
	list, err := entries(ctx, w.main)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(e entry) bool { return e.branch == w.targetRef() })
	if i < 0 {
		return "", nil
	}
	return list[i].dir, nil
}

// checkMove checks that a working tree can move from one commit to another without losing anything.
func checkMove(ctx context.Context, dir, from, to string) error {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	tree, err := repo.Tree(ctx)
	if err != nil {
		return err
	}
	dirty, err := changed(ctx, repo, from, tree.Hash)
	if err != nil {
		return err
	}
	replaced, err := changed(ctx, repo, from, to)
	if err != nil {
		return err
	}
	if both := Collisions(map[string][]string{"dirty": dirty, "replaced": replaced}); len(both) > 0 {
		return &DirtyError{dir, both[0].Paths}
	}
	out, err := repo.Output(ctx, git.Call{Args: []string{"check-attr", "-z", "--stdin", "filter"}, In: []byte(strings.Join(replaced, "\x00") + "\x00")})
	if err != nil {
		return err
	}
	for row := strings.Split(string(out), "\x00"); len(row) >= 3; row = row[3:] { // path, attribute, value
		if row[2] != "unspecified" && row[2] != "unset" {
			return fmt.Errorf("%s: %w: run `git merge --ff-only %s` in %s", row[0], ErrFilter, to, dir)
		}
	}
	return nil
}

// move moves the target branch. A branch that is checked out moves together with its files, because
// git would otherwise show the changes in reverse.
func (w *Worktree) move(ctx context.Context, done Landed) error {
	dir, err := w.checkout(ctx)
	if err != nil {
		return err
	}
	if dir == "" {
		if _, err = w.main.Run(ctx, "update-ref", "-m", "landed by Bullpen", w.targetRef(), done.Commit, done.From); isGitError(err) {
			err = fmt.Errorf("%s: %w (%v)", w.Target, ErrMoved, err)
		}
		return err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	_, err = repo.Run(ctx, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-squash", "--no-autostash", "--no-verify-signatures", done.Commit)
	if isGitError(err) {
		err = fmt.Errorf("%s cannot be updated in %s, where it is checked out: %w", w.Target, dir, err)
	}
	return err
}
