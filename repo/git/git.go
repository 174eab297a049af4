// Package git runs the git program on repositories that may be hostile. It runs no program that a
// repository's settings name: no hook, filter, merge driver, pager or helper. The user's and the
// system's settings are not read.
//
// A snapshot saves everything in a working tree except ignored files, and does not change the
// working tree's files, index or branch.
package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Repo is a working tree and the repository it belongs to.
type Repo struct {
	Top    string // top directory of the working tree
	GitDir string // git directory of this working tree

	program    string
	at         []string // environment variables that name the git directory, if it cannot be found from Top
	drivers    []string // environment variables that disable the repository's filters and merge drivers
	ignoreCase bool     // git ignores the case of file names
	hashSize   int      // size of an object's hash in bytes
}

// Reasons for a failed Open.
var (
	ErrNoGit   = errors.New("git is not installed or not in PATH: install git 2.38 or newer")
	ErrNotRepo = errors.New("not a git repository")
	ErrBare    = errors.New("a bare repository has no files to work on: use a clone of it")
)

// oldest is the oldest supported version of git. It is the first with safe.bareRepository.
var oldest = [2]int{2, 38}

// Open finds the working tree that contains dir.
func Open(ctx context.Context, dir string) (*Repo, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no directory %s", dir)
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	r := &Repo{Top: dir, program: program}
	if err := r.checkVersion(ctx); err != nil {
		return nil, err
	}
	out, err := r.text(ctx, Call{Args: []string{"rev-parse", "--path-format=absolute", "--is-bare-repository", "--show-object-format", "--absolute-git-dir"}})
	if err != nil {
		return nil, r.notOpened(dir, err)
	}
	rows := strings.Split(out, "\n")
	if len(rows) != 3 {
		return nil, fmt.Errorf("%s: the name of the repository's directory contains a line break, which is not supported", dir)
	}
	if rows[0] == "true" {
		return nil, fmt.Errorf("%s: %w", dir, ErrBare)
	}
	r.hashSize = sha1.Size
	if rows[1] == "sha256" {
		r.hashSize = sha256.Size
	}
	r.GitDir = filepath.FromSlash(rows[2])
	top, err := r.text(ctx, Call{Args: []string{"rev-parse", "--path-format=absolute", "--show-toplevel"}})
	if err != nil {
		return nil, err
	}
	r.Top = filepath.FromSlash(top)
	return r, r.readSettings(ctx)
}

func (r *Repo) notOpened(dir string, err error) error {
	var failed *Error
	if errors.As(err, &failed) {
		switch {
		case strings.Contains(failed.Message, "not a git repository"):
			return fmt.Errorf("%s: %w", dir, ErrNotRepo)
		case slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), ".git"):
			return fmt.Errorf("%s is inside a git directory: use the directory that contains the files", dir)
		case strings.Contains(failed.Message, "bare repository"):
			return fmt.Errorf("%s: %w", dir, ErrBare)
		}
	}
	return err
}

func (r *Repo) checkVersion(ctx context.Context) error {
	out, err := r.text(ctx, Call{Args: []string{"version"}})
	if err != nil {
		return err
	}
	version := strings.TrimPrefix(out, "git version ")
	part := strings.SplitN(version, ".", 3)
	if len(part) < 2 {
		return fmt.Errorf("cannot find the git version in this output: %s", hud.Line(out, contracts.LimitNote))
	}
	major, _ := strconv.Atoi(part[0])
	minor, _ := strconv.Atoi(part[1])
	if major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return fmt.Errorf("git %s is too old: install git %d.%d or newer", hud.Line(version, contracts.LimitName), oldest[0], oldest[1])
	}
	return nil
}

// readSettings reads the repository's settings, and uses environment variables to disable every
// filter and merge driver in them. Unlike git's command-line options, variables can contain any
// name.
func (r *Repo) readSettings(ctx context.Context) error {
	out, err := r.text(ctx, Call{Args: []string{"config", "-z", "--list"}})
	if err != nil {
		return err
	}
	r.ignoreCase = false
	var env []string
	set := func(key, value string) {
		n := strconv.Itoa(len(env) / 2)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+key, "GIT_CONFIG_VALUE_"+n+"="+value)
	}
	seen := map[string]bool{}
	for row := range strings.SplitSeq(out, "\x00") {
		name, value, _ := strings.Cut(row, "\n")
		if name == "core.ignorecase" {
			r.ignoreCase = value != "false"
		}
		last := strings.LastIndexByte(name, '.')
		if last < 0 || seen[name[:last]] {
			continue
		}
		section := name[:last]
		seen[section] = true
		switch {
		case strings.HasPrefix(section, "filter."):
			for _, key := range []string{".clean", ".smudge", ".process"} {
				set(section+key, "")
			}
			set(section+".required", "false")
		case strings.HasPrefix(section, "merge."):
			set(section+".driver", "false")
		}
	}
	r.drivers = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(env)/2))
	return nil
}

// withCurrentSettings returns a copy of r with the working tree's current settings, which may have
// changed since Open.
func (r *Repo) withCurrentSettings(ctx context.Context) (*Repo, error) {
	current := *r
	return &current, current.readSettings(ctx)
}

// Call is one run of git.
type Call struct {
	Args []string
	Env  []string // added to the environment
	In   []byte   // standard input

	out    io.Writer // if not nil, receives the output, which is then not returned
	stderr *Buffer   // if not nil, receives git's standard error
}

// command returns the name of the subcommand.
func (c Call) command() string {
	rest := c.Args
	for len(rest) > 2 && rest[0] == "-c" {
		rest = rest[2:]
	}
	return rest[0]
}

// Error describes a git command that failed.
type Error struct {
	Command string // the subcommand, such as "add"
	Code    int    // exit code; -1 if git was stopped
	Message string // git's error output, as one line
	Output  []byte // git's output before it failed
}

func (e *Error) Error() string {
	return fmt.Sprintf("git %s failed with exit code %d: %s", e.Command, e.Code, e.Message)
}

// Output runs git in the working tree and returns its output. It fails after
// contracts.GitLongTimeout.
func (r *Repo) Output(ctx context.Context, c Call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.GitLongTimeout)
	defer cancel()
	out := &Buffer{Room: contracts.LimitGitOutput}
	stderr := c.stderr
	if stderr == nil {
		stderr = &Buffer{Room: contracts.LimitGitMessage}
	}
	cmd := exec.CommandContext(ctx, r.program, append(Options(), c.Args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.Top, slices.Concat(Environment(), identity, r.at, r.drivers, c.Env), out, stderr
	if c.out != nil {
		cmd.Stdout = c.out
	}
	if c.In != nil {
		cmd.Stdin = bytes.NewReader(c.In)
	}
	cmd.Cancel = func() error { // git removes its lock files when it is interrupted, but not when it is killed
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = contracts.OutputGrace // then git is killed; also limits the wait for a child process that keeps the pipe open
	err := cmd.Run()
	name := c.command()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", name, ctx.Err())
	case err != nil:
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return nil, fmt.Errorf("git %s: %w", name, err)
		}
		message := hud.Line(strings.ToValidUTF8(stderr.String(), "?"), contracts.LimitNote)
		return nil, &Error{Command: name, Code: exit.ExitCode(), Message: message, Output: out.Bytes()}
	case out.Cut:
		return nil, fmt.Errorf("git %s printed more than %d bytes", name, contracts.LimitGitOutput)
	}
	return out.Bytes(), nil
}

// text is like Output, but returns the output as a string without its last line break.
func (r *Repo) text(ctx context.Context, c Call) (string, error) {
	out, err := r.Output(ctx, c)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Buffer keeps the first Room bytes that are written to it. Room shrinks as the buffer fills.
type Buffer struct {
	Room int
	Cut  bool // more bytes were written than fit

	kept bytes.Buffer // not embedded, because its ReadFrom would read without a limit
}

// Bytes returns the bytes that were kept.
func (b *Buffer) Bytes() []byte { return b.kept.Bytes() }

func (b *Buffer) String() string { return b.kept.String() }

// Write implements io.Writer and never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	keep := min(len(p), b.Room)
	b.Room -= keep
	b.Cut = b.Cut || keep < len(p)
	_, _ = b.kept.Write(p[:keep]) // writing to memory cannot fail
	return len(p), nil
}
