// Package gh pushes branches to a repository's remote, and opens and reads pull requests there. It
// runs the programs git and gh.
//
// Both run in a scratch repository that shares only objects with the user's repository. Programs named
// in the repository's settings are therefore not run, but the user's own settings and accounts are
// used. There are no password prompts: a program that needs a password fails.
package gh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
)

// Reasons why pull requests cannot be used.
var (
	ErrNoGH        = errors.New("gh is not installed or not in PATH: install it from https://cli.github.com, or land the work by merge, squash or rebase")
	ErrNotLoggedIn = errors.New("gh is not logged in: run `gh auth login`")
)

// codeLogin is gh's exit code if the user is not logged in.
const codeLogin = 4

// programs runs git and gh in a scratch repository.
type programs struct {
	dir       string
	gh, git   string
	protocols string // protocols that git may use, separated by colons
}

// start creates a scratch repository. An empty format means git's default object format.
func start(ctx context.Context, format string) (*programs, error) {
	p := &programs{protocols: "https:ssh"}
	var err error
	if p.gh, err = exec.LookPath("gh"); err != nil {
		return nil, ErrNoGH
	}
	if p.git, err = exec.LookPath("git"); err != nil {
		return nil, git.ErrNoGit
	}
	if p.dir, err = os.MkdirTemp("", "bullpen-pull-*"); err != nil {
		return nil, err
	}
	args := []string{"init", "--quiet", "--template="}
	if format != "" {
		args = append(args, "--object-format="+format)
	}
	if _, err = p.runGit(ctx, args...); err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// Close removes the scratch repository.
func (p *programs) Close() error { return os.RemoveAll(p.dir) }

// runGit runs a git command that does not use the network.
func (p *programs) runGit(ctx context.Context, args ...string) (string, error) {
	return p.run(ctx, call{name: "git " + args[0], program: p.git, args: args})
}

// runGH runs a gh command, such as "pr", "list". It sets the name, the program and the arguments of c.
func (p *programs) runGH(ctx context.Context, c call, args ...string) (string, error) {
	c.name, c.program, c.args = "gh "+args[0]+" "+args[1], p.gh, args
	out, err := p.run(ctx, c)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == codeLogin {
		return "", ErrNotLoggedIn
	}
	return out, err
}

// call is one run of a program.
type call struct {
	name    string // name of the command in errors
	program string
	args    []string
	in      string    // standard input
	out     io.Writer // receives the output; if nil, run returns the output
}

// run runs a program and returns its output, or writes the output to c.out if that is set.
func (p *programs) run(ctx context.Context, c call) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.PushTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, c.args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.environment(), strings.NewReader(c.in)
	cmd.WaitDelay = contracts.OutputGrace // in case a child process keeps the pipe open
	out, stderr := &git.Buffer{Room: contracts.LimitPullOutput}, &git.Buffer{Room: contracts.LimitGitMessage}
	cmd.Stdout, cmd.Stderr = out, stderr
	if c.out != nil {
		cmd.Stdout = c.out
	}
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", c.name, ctx.Err())
	case err != nil:
		return "", fmt.Errorf("%s failed: %s (%w)", c.name, hud.Line(userInfo().ReplaceAllString(strings.ToValidUTF8(stderr.String(), "?"), "$1"), contracts.LimitNote), err)
	case out.Cut:
		return "", fmt.Errorf("%s printed more than %d bytes", c.name, contracts.LimitPullOutput)
	}
	return strings.TrimSpace(out.String()), nil
}

// environment returns the user's environment, without variables that choose another repository or
// change the output.
func (p *programs) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_SSH") && !strings.HasPrefix(name, "GIT_CONFIG_") ||
			name == "GH_REPO" || name == "GH_DEBUG" || name == "GH_FORCE_TTY"
	})
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS_REQUIRE=never", "GIT_ALLOW_PROTOCOL="+p.protocols,
		"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1", "LC_ALL=C")
}

// userInfo matches the user name and the password in URLs.
var userInfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w://)[^\s/]*@`) })
