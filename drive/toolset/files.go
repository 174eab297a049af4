package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/hud"
)

// errNoPath is the error for a call without a path.
var errNoPath = errors.New(`the argument "path" is missing`)

// checkPath returns an error if a path cannot be used.
func checkPath(w *workspace.Workspace, path string) error {
	if strings.TrimSpace(path) == "" {
		return errNoPath
	}
	_, err := w.Name(path)
	return err
}

// checkChange returns an error if a file may not be changed. Git's own files can make git run
// commands, so they are never changed.
func checkChange(w *workspace.Workspace, path string) error {
	if err := checkPath(w, path); err != nil {
		return err
	}
	real, err := w.Real(path)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq(real, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%q belongs to git and cannot be changed with this tool", path)
		}
	}
	return nil
}

type readArgs struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"`
	Limit  int64  `json:"limit"`
}

func (a readArgs) check(w *workspace.Workspace) error { return checkPath(w, a.Path) }

func readFile(_ context.Context, s *Set, a readArgs) (outcome, error) {
	whole, err := s.cfg.Workspace.Read(a.Path)
	if err != nil {
		return outcome{}, err
	}
	first, limit := max(a.Offset, 1), &a.Limit
	if a.Limit <= 0 {
		limit = nil
	}
	text := wholeLines(workspace.Window(whole, first, limit))
	lines, total := int64(countLines(text)), int64(countLines(whole))
	out := outcome{text: text, shown: hud.Read(a.Path, text).At(hud.Window(int(first), int(lines)))}
	switch last := first + lines - 1; {
	case whole == "":
		out.text = "(the file is empty)"
	case lines == 0:
		out.text = fmt.Sprintf("(lines in the file: %d)", total)
	case first > 1 || last < total:
		out.text += fmt.Sprintf("\n[lines %d to %d of %d]", first, last, total)
	}
	return out, nil
}

// wholeLines returns the start of text, at most LimitToolText bytes. It cuts text only at the end
// of a line, unless the first line alone is too long.
func wholeLines(text string) string {
	if len(text) <= contracts.LimitToolText {
		return text
	}
	text = hud.Cut(text, contracts.LimitToolText)
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		text = text[:at+1]
	}
	return text
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old_string"`
	New  string `json:"new_string"`
	All  bool   `json:"replace_all"`
}

func (a editArgs) check(w *workspace.Workspace) error {
	switch {
	case a.Old == "":
		return errors.New("old_string is empty; use write_file to create a file")
	case a.Old == a.New:
		return errors.New("old_string and new_string are identical")
	}
	return checkChange(w, a.Path)
}

func editFile(_ context.Context, s *Set, a editArgs) (outcome, error) {
	before, err := s.cfg.Workspace.Read(a.Path)
	if err != nil {
		return outcome{}, err
	}
	n := strings.Count(before, a.Old)
	switch {
	case n == 0:
		return outcome{}, fmt.Errorf("old_string does not occur in %q; read the file and copy the text exactly", a.Path)
	case n > 1 && !a.All:
		return outcome{}, fmt.Errorf("old_string occurs %d times in %q; include more of the surrounding text, or set replace_all", n, a.Path)
	}
	after := strings.ReplaceAll(before, a.Old, a.New)
	if err := s.cfg.Workspace.Write(a.Path, after); err != nil {
		return outcome{}, err
	}
	hunks := hud.Diff(before, after)
	return outcome{fmt.Sprintf("changed %s in %d place(s)", a.Path, n), hud.Edit(a.Path, hud.ChangedArea(hunks)).WithDiff(hunks)}, nil
}

type writeArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

func (a writeArgs) check(w *workspace.Workspace) error {
	if a.Content == nil {
		return errors.New(`the argument "content" is missing`)
	}
	return checkChange(w, a.Path)
}

func writeFile(_ context.Context, s *Set, a writeArgs) (outcome, error) {
	before, err := s.cfg.Workspace.Read(a.Path)
	created := errors.Is(err, fs.ErrNotExist)
	if err := s.cfg.Workspace.Write(a.Path, *a.Content); err != nil {
		return outcome{}, err
	}
	shown := hud.Write(a.Path, *a.Content)
	if err == nil || created { // without the earlier text, there is nothing to compare
		shown = shown.WithDiff(hud.Diff(before, *a.Content), created)
	}
	return outcome{fmt.Sprintf("wrote %d bytes to %s", len(*a.Content), a.Path), shown}, nil
}

type deleteArgs struct {
	Path string `json:"path"`
}

func (a deleteArgs) check(w *workspace.Workspace) error { return checkChange(w, a.Path) }

func deleteFile(_ context.Context, s *Set, a deleteArgs) (outcome, error) {
	if err := s.cfg.Workspace.Delete(a.Path); err != nil {
		return outcome{}, err
	}
	text := "deleted " + a.Path
	return outcome{text, hud.Other(text)}, nil
}
