package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/repo/gh"
)

// Reasons why a pull request cannot be opened.
var (
	ErrRedirected  = errors.New("the address of the remote differs from the one that a person accepted, and agents can change that setting")
	ErrNoTarget    = errors.New("the remote does not have the target branch: push it first")
	ErrUnpublished = errors.New("the task started from a commit that is not on the remote, and the pull request would publish it: push the target branch first (or fetch, if it was pushed from elsewhere)")
	ErrForeign     = errors.New("the task's branch on the remote has a commit that the office did not push: delete or rename that branch there")
)

// Pull describes the pull request to open.
type Pull struct {
	Remote string // the address that a person accepted; see contracts.Repo
	Tree   string // the delivered tree; a snapshot of the task must contain it
	Title  string
	Body   string // Markdown
	DryRun bool   // do not push anything or open a pull request
}

// Pulled is the result of PullRequest. After a dry run, it describes what would have been pushed.
type Pulled struct {
	Remote string // where the branch is pushed to
	URL    string // empty if a dry run found no pull request to update
	Commit string // the head of the branch; empty for a dry run
}

// PullRequest pushes the delivered tree to the remote, as the task's branch, and opens a pull request
// against the target branch. It is safe to call again: it finds a branch that was already
// pushed and a pull request that was already opened.
func (w *Worktree) PullRequest(ctx context.Context, p Pull) (Pulled, error) {
	name, url, err := gh.Address(ctx, w.main, w.Target)
	if err != nil {
		return Pulled{}, err
	}
	if err := w.checkRemote(p.Remote, gh.StripCredentials(url)); err != nil {
		return Pulled{}, err
	}
	remote, err := gh.Open(ctx, w.main, url)
	if err != nil {
		return Pulled{}, err
	}
	defer func() { _ = remote.Close() }()
	heads, err := remote.Heads(ctx, w.Branch, w.Target)
	if err != nil {
		return Pulled{}, err
	}
	done := Pulled{Remote: gh.StripCredentials(url)}
	if err := w.checkPushable(ctx, name, heads); err != nil {
		return done, fmt.Errorf("%s: %w", done.Remote, err)
	}
	commit, err := w.pullCommit(ctx, p)
	if err != nil {
		return done, err
	}
	found, err := remote.Find(ctx, w.Branch, commit)
	if err != nil {
		return done, err
	}
	if found != nil {
		done.URL = found.URL
	}
	if p.DryRun {
		return done, nil
	}
	done.Commit = commit
	if found != nil && found.State == gh.StateMerged {
		return done, nil
	}
	if heads[w.Branch] != commit {
		if err := w.push(ctx, remote, p.Tree, commit, heads[w.Branch]); err != nil {
			return done, err
		}
	}
	if found == nil {
		done.URL, err = remote.Create(ctx, gh.Draft{Branch: w.Branch, Base: w.Target, Title: p.Title, Body: p.Body})
	}
	return done, err
}

// checkRemote returns an error if the remote's current address differs from the recorded one.
func (w *Worktree) checkRemote(recorded, current string) error {
	if current == recorded {
		return nil
	}
	return fmt.Errorf("%w: the accepted address is %s, the current address is %s; if the current address is correct, run `bullpen repo add --remote %s` in %s",
		ErrRedirected, cmp.Or(recorded, "none"), current, current, w.main.Top)
}

// checkPushable checks that a push publishes only the task's own commits and replaces only commits
// that the office pushed.
func (w *Worktree) checkPushable(ctx context.Context, remote string, heads map[string]string) error {
	target, ok := heads[w.Target]
	if !ok {
		return fmt.Errorf("%s: %w", w.Target, ErrNoTarget)
	}
	if head := heads[w.Branch]; head != "" {
		pushed, err := w.main.Run(ctx, "for-each-ref", "--format=%(objectname)", "refs/bullpen/"+w.Task+"/"+pullKind+"*/*")
		if err != nil {
			return err
		}
		if !strings.Contains(pushed, head) {
			return fmt.Errorf("%s: %w", w.Branch, ErrForeign)
		}
	}
	_, err := w.main.Run(ctx, "merge-base", "--is-ancestor", w.Base, target)
	if err == nil || !isGitError(err) {
		return err
	}
	// This repository does not have the commit of the remote's target branch. Check the branches
	// that were fetched instead.
	tracked, err := w.main.Run(ctx, "for-each-ref", "--count=1", "--contains="+w.Base, "--format=%(refname)", "refs/remotes/"+remote+"/")
	if err == nil && tracked == "" {
		err = fmt.Errorf("%s: %w", w.Target, ErrUnpublished)
	}
	return err
}

// pullKind is the prefix of a hidden ref's kind if the ref points to a commit that was pushed for a
// pull request.
const pullKind = "pull-"

// pullCommit returns the commit for the delivered tree. A commit that was pushed before is reused.
// Agents can create refs too, so an earlier commit is used only if it has the delivered tree and
// adds only the task's commits.
func (w *Worktree) pullCommit(ctx context.Context, p Pull) (string, error) {
	c := commits{Worktree: w, Landing: Landing{Tree: p.Tree, Title: p.Title}}
	out, err := w.main.Run(ctx, "for-each-ref", "--format=%(objectname) %(tree)", "refs/bullpen/"+w.Task+"/"+pullKind+p.Tree+"/")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if commit, tree, _ := strings.Cut(strings.TrimSpace(line), " "); tree != p.Tree {
			continue
		} else if _, ok, err := c.since(ctx, commit); err != nil || ok {
			return commit, err
		}
	}
	list, err := c.history(ctx)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", ErrNothing
	}
	return list[len(list)-1], nil
}

// push pushes a commit to the task's remote branch, if that branch still points to the commit old.
func (w *Worktree) push(ctx context.Context, remote *gh.Remote, tree, commit, old string) error {
	// Recorded before the push, so that a repeated attempt finds this commit.
	if _, err := w.main.Run(ctx, "update-ref", hiddenRef(w.Task, pullKind+tree), commit, ""); err != nil {
		return err
	}
	return remote.Push(ctx, w.Branch, commit, old)
}
