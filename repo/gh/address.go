package gh

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
)

// Reasons why a repository's remote cannot be used.
var (
	ErrNoRemote = errors.New("the repository has no remote to push to: add one with `git remote add origin URL`")
	ErrAddress  = fmt.Errorf("the address of the remote must have at most %d characters and contain only letters, digits and %s", contracts.LimitRemote, addressMarks)
)

// addressMarks are the characters that an address may contain in addition to letters and digits. Any
// other character could make one address look like another, or have a meaning in a shell.
const addressMarks = "-_./:@+=,~%[]"

// Address returns the name and the address of the remote that a branch is pushed to. An empty branch
// means the one that is checked out. Agents can change both in the repository's settings, so
// callers must not trust them.
func Address(ctx context.Context, repo *git.Repo, branch string) (name, url string, err error) {
	if branch == "" {
		if branch, err = setting(ctx, repo, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil {
			return "", "", err
		}
	}
	if name, err = setting(ctx, repo, "config", "--get", "branch."+branch+".remote"); err != nil {
		return "", "", err
	}
	if name == "" || name == "." {
		name = "origin"
	}
	if url, err = setting(ctx, repo, "remote", "get-url", "--push", "--", name); err != nil {
		return "", "", err
	}
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(addressMarks, r))
	}
	switch shown := StripCredentials(url); {
	case url == "":
		return "", "", fmt.Errorf("%s: %w", hud.Line(StripCredentials(name), contracts.LimitName), ErrNoRemote)
	case len(shown) > contracts.LimitRemote || strings.IndexFunc(shown, odd) >= 0 || strings.HasPrefix(url, "-"):
		return "", "", ErrAddress
	}
	return name, url, nil
}

// setting returns the output of a git command that reads a setting, or "" if the setting does not
// exist.
func setting(ctx context.Context, repo *git.Repo, args ...string) (string, error) {
	out, err := repo.Run(ctx, args...)
	var failed *git.Error
	if errors.As(err, &failed) {
		return "", nil
	}
	return out, err
}

// StripCredentials returns a remote's address without its credentials. Only an SSH address keeps
// its user name, because its path can depend on the user.
func StripCredentials(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address // a local path, or user@host:path, which cannot have a password
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	at := strings.LastIndexByte(host, '@')
	user, _, _ := strings.Cut(host[:max(at, 0)], ":")
	host = host[at+1:]
	if user != "" && strings.HasSuffix(strings.ToLower(scheme), "ssh") {
		host = user + "@" + host
	}
	return scheme + "://" + host + path
}

// isLocal reports whether an address is a directory on this machine.
func isLocal(address string) bool {
	return strings.HasPrefix(address, "file://") || !strings.Contains(address, "://") && !strings.Contains(address, ":")
}
