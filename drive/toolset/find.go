package toolset

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/hud"
)

type listArgs struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

func (a listArgs) check(w *workspace.Workspace) error {
	_, err := w.Name(a.Path)
	return err
}

func listFiles(ctx context.Context, s *Set, a listArgs) (outcome, error) {
	entries, more, err := s.cfg.Workspace.List(ctx, a.Path, a.Depth)
	if err != nil {
		return outcome{}, err
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(contracts.CleanLine(e.Name) + "\n")
	}
	return found(b.String(), "(empty)", more), nil
}

// found returns the outcome of a listing or a search. empty is the text to return if there are
// no lines.
func found(text, empty string, more bool) outcome {
	cut := wholeLines(text)
	if text == "" {
		cut = empty
	}
	if more || len(cut) < len(text) {
		cut += "[there is more: use a subdirectory or a narrower pattern]\n"
	}
	return outcome{cut, hud.Other(cut)}
}

type searchArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
}

func (a searchArgs) check(w *workspace.Workspace) error {
	if a.Pattern == "" {
		return errors.New(`the argument "pattern" is missing`)
	}
	if _, err := regexp.Compile(a.Pattern); err != nil {
		return fmt.Errorf("the pattern is not a regular expression: %w", err)
	}
	_, err := w.Name(a.Path)
	return err
}

func searchFiles(ctx context.Context, s *Set, a searchArgs) (outcome, error) {
	dir, err := s.cfg.Workspace.Real(a.Path) // rules restrict files by their real names
	if err != nil {
		return outcome{}, err
	}
	result, err := s.cfg.Workspace.Search(ctx, workspace.Query{Pattern: regexp.MustCompile(a.Pattern), Dir: dir, Glob: a.Glob, Skip: s.fileRestricted})
	if err != nil {
		return outcome{}, err
	}
	var b strings.Builder
	for _, m := range result.Matches {
		fmt.Fprintf(&b, "%s:%d: %s\n", contracts.CleanLine(m.Name), m.Line, m.Text)
	}
	out := found(b.String(), "no matches", result.More)
	if result.Skipped > 0 {
		out.text += fmt.Sprintf("\n[files not searched because a rule restricts them: %d]", result.Skipped)
		out.shown = hud.Other(out.text)
	}
	return out, nil
}
