package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents/directory"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/survey"
)

// serveWorkFile shows a file by the path that an agent gave: absolute, starting with ~/,
// or relative to the agent's working directory. Only files in known workspaces are
// shown, by the rules of serveFile.
func (s *Server) serveWorkFile(w http.ResponseWriter, r *http.Request) {
	if !mayOpenFiles(w, r) {
		return
	}
	name := r.URL.Query().Get("path")
	if name == "" || len(name) > contracts.LimitFilePath || strings.ContainsRune(name, 0) {
		gate.Refuse(w, http.StatusBadRequest, contracts.CodeValidationFailed, "?path= is required and has at most %d bytes", contracts.LimitFilePath)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.SurveyTimeout)
	defer cancel()
	home, _ := os.UserHomeDir() // without one nothing is known to be private
	if rest, ok := strings.CutPrefix(name, "~/"); ok && home != "" {
		name = filepath.Join(home, rest)
	}
	var last error = fs.ErrNotExist
	for _, at := range s.directory.Workspaces(r.URL.Query().Get("agent")) {
		text, err := show(ctx, at, name, home)
		if err == nil {
			gate.Answer(w, http.StatusOK, text)
			return
		}
		if !errors.Is(err, fs.ErrNotExist) {
			last = err
		}
	}
	s.refuseFile(w, last)
}

// show reads a file of the workspace. A file outside of it is fs.ErrNotExist.
func show(ctx context.Context, at directory.Workspace, name, home string) (survey.Text, error) {
	open := survey.Open
	if at.Ours {
		open = survey.OpenWorkspace
	}
	folder, err := open(ctx, at.Dir, home)
	if err != nil {
		return survey.Text{}, fs.ErrNotExist // it is gone, or not a folder that is shown
	}
	defer func() { _ = folder.Close() }()
	rest := name
	if filepath.IsAbs(name) {
		ok := false
		for _, root := range []string{at.Dir, folder.Dir()} { // a path may reach the root through a link
			if rest, err = filepath.Rel(root, name); err == nil && filepath.IsLocal(rest) {
				ok = true
				break
			}
		}
		if !ok {
			return survey.Text{}, fs.ErrNotExist
		}
	}
	return folder.Show(ctx, filepath.ToSlash(filepath.Clean(rest)))
}
