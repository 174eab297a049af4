package survey

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
)

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

// run runs git in the folder and returns its output. If the output exceeds the limit, run kills git
// and returns the start of the output with errTooMuch.
func (f *Folder) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.GitTimeout)
	defer cancel()
	out := &bounded{room: contracts.LimitSurveyOutput, full: cancel}
	cmd := exec.CommandContext(ctx, f.git, append(git.Options(), args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout = f.Dir(), git.Environment(), out
	if f.home != "" {
		// A repository in the home directory does not make the folders below it projects.
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+f.home)
	}
	cmd.WaitDelay = contracts.OutputGrace // in case a child process keeps the pipe open
	err := cmd.Run()
	if out.cut {
		return out.Bytes(), errTooMuch
	}
	return out.Bytes(), err
}

var errTooMuch = errors.New("git output exceeds the limit")

// bounded is a buffer for at most room bytes. A write beyond that limit calls full and returns an
// error.
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

// History summarizes the newest commits of a repository.
type History struct {
	Commits []Commit // the newest commits
	Count   int      // number of commits, at most LimitSurveyCommits
	More    bool     // there are more than LimitSurveyCommits commits
	Authors int
	Since   string // date of the oldest commit counted
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
