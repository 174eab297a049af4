package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/survey"
)

// report describes the office's folder.
type report struct {
	Name       string // the folder's name
	Refused    string // why nothing was read; empty if the folder was read
	Git        bool
	Note       string // why the history is missing
	Listing    survey.Listing
	Census     survey.Census // set only in a full report
	History    survey.History
	Checks     []survey.Check
	Unfinished bool // a call failed, for example because the time limit was reached
}

// Test returns the command that runs the tests of the whole folder, or "" if there is none.
func (r *report) Test() string {
	for _, c := range r.Checks {
		if c.Dir == "." {
			return c.Command
		}
	}
	return ""
}

// Partial reports whether the report is incomplete because a limit was reached or a call failed.
func (r *report) Partial() bool { return r.Unfinished || r.Listing.More || r.Census.More }

// limitShown is the maximum number of file names that the activity feed shows for a listing.
const limitShown = 100

// survey inspects the folder and shows each step as a tool call. If whole is true, it also counts
// lines and reads the history.
func (s *stage) survey(whole bool) *report {
	r := &report{}
	if s.err != nil {
		return r
	}
	s.progress(10, "Looking at the project folder")
	ctx, cancel := context.WithTimeout(s.ctx, contracts.SurveyTimeout)
	defer cancel()
	f, err := survey.Open(ctx, s.runner.cfg.Folder, s.runner.cfg.Home)
	if err != nil {
		r.Refused = "The folder that the office was started in cannot be read."
		if errors.Is(err, survey.ErrPrivate) {
			r.Refused = "The office was started in a home directory or a system folder, not in a project. The crew does not read such folders."
		}
		s.checkStopped()
		return r
	}
	defer func() { _ = f.Close() }()
	r.Name = filepath.Base(f.Dir())
	r.Git, r.Note = f.Git()
	s.list(ctx, f, r)
	s.checks(f, r)
	if whole {
		s.history(ctx, f, r)
		s.count(ctx, f, r)
	}
	s.checkStopped()
	return r
}

// checkStopped sets err if the turn's own context is done.
func (s *stage) checkStopped() {
	if s.err == nil && s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
	}
}

type folderArgs struct {
	Path    string `json:"path,omitzero"`
	Command string `json:"command,omitzero"`
	Pattern string `json:"pattern,omitzero"`
}

func (s *stage) list(ctx context.Context, f *survey.Folder, r *report) {
	tool, args := "list", folderArgs{Path: f.Dir()}
	if r.Git {
		tool, args = "exec", folderArgs{Command: survey.ListCommand}
	}
	end := s.tool(tool, args)
	var err error
	r.Listing, err = f.Files(ctx)
	var names []string
	for _, file := range r.Listing.Files[:min(len(r.Listing.Files), limitShown)] {
		names = append(names, strings.ToValidUTF8(file.Path, "�"))
	}
	if more := len(r.Listing.Files) - len(names); more > 0 {
		names = append(names, "… and "+count(more, "more file"))
	}
	r.finish(end, tool, args.Command, strings.Join(names, "\n"), err)
}

func (s *stage) history(ctx context.Context, f *survey.Folder, r *report) {
	if !r.Git {
		return
	}
	end := s.tool("exec", folderArgs{Command: survey.LogCommand})
	var err error
	r.History, err = f.History(ctx)
	var rows []string
	for _, c := range r.History.Commits {
		rows = append(rows, c.Hash+" "+c.Date+" "+c.Subject)
	}
	r.finish(end, "exec", survey.LogCommand, strings.Join(rows, "\n"), err)
}

func (s *stage) checks(f *survey.Folder, r *report) {
	for _, m := range survey.Manifests(r.Listing) {
		if s.err != nil {
			return
		}
		path := strings.ToValidUTF8(f.Path(m), "�")
		end := s.tool("read", hud.FileArgs{Path: path})
		c, ok := f.Check(m, r.Listing)
		if !ok {
			end(hud.Read(path, "")) // the file was read and defines no tests
			continue
		}
		r.Checks = append(r.Checks, c)
		end(hud.Read(path, c.Text).At(hud.Lines(c.Line, min(c.Line, 1))))
	}
}

func (s *stage) count(ctx context.Context, f *survey.Folder, r *report) {
	end := s.tool("search", folderArgs{Path: f.Dir(), Pattern: "TODO|FIXME"})
	var err error
	r.Census, err = f.Count(ctx, r.Listing)
	rows := []string{count(len(r.Listing.Files), "file") + ", " + count(r.Census.Lines, "line") + ", " + count(r.Census.NoteCount, "note")}
	for _, n := range r.Census.Notes {
		rows = append(rows, fmt.Sprintf("%s:%d %s", strings.ToValidUTF8(n.Path, "�"), n.Line, n.Text))
	}
	r.finish(end, "search", "", strings.Join(rows, "\n"), err)
}

// tool reports the start of a tool call; the returned function reports its result.
func (s *stage) tool(name string, args any) func(any) {
	if s.err != nil {
		return func(any) {}
	}
	end := s.sink.ToolStart("", name, args)
	s.pause(readTime)
	return end
}

// finish reports the result of a call. If the call failed, the report is marked as unfinished,
// because some of the call's results are missing from it.
func (r *report) finish(end func(any), tool, command, text string, err error) {
	r.Unfinished = r.Unfinished || err != nil
	switch {
	case err != nil:
		end(hud.Failure("not finished: " + err.Error()))
	case tool == "exec":
		end(hud.Exec(command, 0, text, ""))
	default:
		end(hud.Other(text))
	}
}
