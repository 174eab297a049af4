package survey

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// safeOptions keep git from running programs that a repository's settings name: hooks, file system
// monitors, pagers, helpers, signature programs.
var safeOptions = []string{
	"--no-pager", "--literal-pathspecs",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "-c", "core.askPass=", "-c", "core.excludesFile=/dev/null",
	"-c", "core.attributesFile=/dev/null", "-c", "credential.helper=", "-c", "diff.external=", "-c", "gpg.program=false", "-c", "log.showSignature=false",
	"-c", "core.alternateRefsCommand=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false", "-c", "safe.bareRepository=explicit",
}

// safeEnvironment returns the whole environment for git. It allows no protocol, so that a partial
// clone cannot fetch missing objects through a program of its choice.
func safeEnvironment(home string) []string {
	env := []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "GIT_SSH_COMMAND=false", "GIT_PROXY_COMMAND=false",
		"GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C",
	}
	if home != "" {
		// A repository in the home directory does not make the folders below it public.
		env = append(env, "GIT_CEILING_DIRECTORIES="+home)
	}
	for _, name := range []string{"PATH", "SYSTEMROOT"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// findGit sets f.git if git is installed and the folder is in a repository. Otherwise it sets
// f.note.
func (f *Folder) findGit(ctx context.Context) {
	program, err := exec.LookPath("git")
	if err != nil {
		f.note = "git was not found."
		return
	}
	f.git = program
	out, err := f.run(ctx, "rev-parse", "--is-inside-work-tree")
	if err == nil && strings.TrimSpace(string(out)) == "true" {
		return
	}
	f.git, f.note = "", "The folder is not a git repository."
	if _, err := f.root.Lstat(".git"); err == nil {
		f.note = "There is a .git entry, but git cannot read the repository."
	}
}

// run runs git in the folder and returns its output. If the output exceeds the limit, run ends git
// and returns the start of the output with errTooMuch.
func (f *Folder) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.GitTimeout)
	defer cancel()
	out := &bounded{room: contracts.LimitSurveyOutput, full: cancel}
	cmd := exec.CommandContext(ctx, f.git, append(append([]string{}, safeOptions...), args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout = f.Dir(), safeEnvironment(f.home), out
	cmd.WaitDelay = time.Second // in case a child process keeps the pipe open
	err := cmd.Run()
	if out.cut {
		return out.Bytes(), errTooMuch
	}
	return out.Bytes(), err
}

var errTooMuch = errors.New("git output exceeds the limit")

// bounded is a buffer that calls full and fails when more than room bytes are written.
type bounded struct {
	bytes.Buffer
	room int
	full func()
	cut  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.cut || len(p) > b.room {
		b.cut = true
		b.full()
		return 0, errTooMuch
	}
	b.room -= len(p)
	return b.Buffer.Write(p)
}

// History is the recent history of a repository.
type History struct {
	Commits []Commit // the newest commits
	Count   int      // number of commits, at most LimitSurveyCommits
	More    bool     // there are more than LimitSurveyCommits
	Authors int
	Since   string // date of the oldest commit that was counted
}

// Commit is one commit; its subject is one redacted line.
type Commit struct{ Hash, Date, Subject string }

// LogCommand is the command that History runs, without its safety options, for display.
const LogCommand = "git log --format='%h %cs %s'"

// History reads the log. The result is empty outside a repository and in a repository without
// commits.
func (f *Folder) History(ctx context.Context) (h History, err error) {
	if f.git == "" {
		return h, nil
	}
	if _, err := f.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return h, ctx.Err()
	}
	out, err := f.run(ctx, "log", "-z", "--max-count="+itoa(contracts.LimitSurveyCommits+1), "--format=%h%x1f%cs%x1f%ae%x1f%s",
		"--no-show-signature", "--no-notes", "--no-color", "--no-decorate", "--no-ext-diff", "--no-textconv", "HEAD", "--")
	if err != nil {
		return h, err
	}
	authors := map[string]bool{}
	for row := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		field := strings.SplitN(row, "\x1f", 4)
		if len(field) < 4 {
			continue
		}
		if h.Count == contracts.LimitSurveyCommits {
			h.More = true
			break
		}
		h.Count++
		authors[field[2]] = true
		h.Since = field[1]
		if len(h.Commits) < contracts.LimitSurveyList {
			h.Commits = append(h.Commits, Commit{Hash: field[0], Date: field[1], Subject: hud.Line(field[3], contracts.LimitSurveySubject)})
		}
	}
	h.Authors = len(authors)
	return h, nil
}
