package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
)

// Reasons why a pull request cannot be opened.
var (
	ErrNoGH     = errors.New("gh is not installed or not in PATH: install it from https://cli.github.com")
	ErrLoggedIn = errors.New("gh is not logged in: run `gh auth login`")
	ErrNoRemote = errors.New("the repository has no remote to push to")
)

// Pull describes the pull request to open.
type Pull struct {
	Tree  string // the delivered tree
	Title string
	Body  string
}

// PullRequest pushes the delivered tree as the task's branch and opens a pull request against the
// target branch. It returns the address of the pull request. If there is one already, it is updated.
func (w *Worktree) PullRequest(ctx context.Context, p Pull) (url string, err error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.PushTimeout)
	defer cancel()
	gh, err := exec.LookPath("gh")
	if err != nil {
		return "", ErrNoGH
	}
	if _, err := w.network(ctx, gh, "auth", "status"); err != nil {
		return "", fmt.Errorf("%w (%v)", ErrLoggedIn, err)
	}
	remote, err := w.remote(ctx)
	if err != nil {
		return "", err
	}
	c := commits{Worktree: w, Landing: Landing{Tree: p.Tree, Title: p.Title}}
	list, err := c.history(ctx)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", ErrNothing
	}
	if err := w.push(ctx, remote, list[len(list)-1]); err != nil {
		return "", err
	}
	if url, err := w.network(ctx, gh, "pr", "view", w.Branch, "--json", "url", "--jq", ".url", "-R", remote); err == nil && url != "" {
		return url, nil
	}
	return w.network(ctx, gh, "pr", "create", "--head", w.Branch, "--base", w.Target, "--title", hud.Line(p.Title, contracts.LimitTaskTitle), "--body", p.Body, "-R", remote)
}

// remote returns the address that the target branch is pushed to.
func (w *Worktree) remote(ctx context.Context) (string, error) {
	name, err := w.main.Run(ctx, "config", "--get", "branch."+w.Target+".remote")
	if err != nil || name == "" || name == "." {
		name = "origin"
	}
	url, err := w.main.Run(ctx, "remote", "get-url", "--push", name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, ErrNoRemote)
	}
	return url, nil
}

// pushedRef returns the name of the ref for the commit that was pushed last.
func (w *Worktree) pushedRef() string { return "refs/bullpen/" + w.Task + "/pushed" }

// push pushes a commit as the task's branch. It fails if the remote branch is not at the commit that was
// pushed last.
func (w *Worktree) push(ctx context.Context, url, commit string) error {
	before, _, err := commitOf(ctx, w.main, w.pushedRef())
	if err != nil {
		return err
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return git.ErrNoGit
	}
	// Only gh's credentials are used, and no program that the repository's settings name.
	args := append(git.Options(), "-c", "credential.helper=!gh auth git-credential", "-C", w.Source, "push", "--quiet", "--no-verify", "--receive-pack=git-receive-pack",
		"--force-with-lease="+w.branchRef()+":"+before, "--", url, commit+":"+w.branchRef())
	if _, err := w.network(ctx, program, args...); err != nil {
		return err
	}
	_, err = w.main.Run(ctx, "update-ref", w.pushedRef(), commit)
	return err
}

// network runs a program that may use the network, with the user's environment, and returns what it
// printed.
func (w *Worktree) network(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = w.Source
	cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "GIT_") })
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh", "GIT_ALLOW_PROTOCOL=https:ssh:file", "GH_PROMPT_DISABLED=1", "LC_ALL=C")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, hud.Line(strings.ToValidUTF8(said.String(), "?"), contracts.LimitNote))
	}
	return strings.TrimSpace(out.String()), nil
}
