package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/survey"
)

// workspace is a folder with files that may be opened.
type workspace struct {
	dir  string
	ours bool // the office created it, or it is configured
}

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
	for _, at := range s.workspaces(r.URL.Query().Get("agent")) {
		text, err := at.show(ctx, name, home)
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

// workspaces lists the workspaces of an agent, then the office's folder and the
// configured roots. A directory that an agent only claims to work in is not a workspace.
func (s *Server) workspaces(agentID string) (list []workspace) {
	add := func(dir string, ours bool) {
		if filepath.IsAbs(dir) && !slices.ContainsFunc(list, func(w workspace) bool { return w.dir == dir }) {
			list = append(list, workspace{filepath.Clean(dir), ours})
		}
	}
	if who, ok := s.view.Profile(agentID); ok {
		switch dir, program := s.place(who.Runner, agentID); {
		case program:
			add(dir, true)
		case who.Runner == crew.Rehearsal: // it works in the office's folder
		case who.Source == contracts.SourceBridge:
			if _, dir, err := s.cfg.confine(who.Place); err == nil {
				add(dir, false)
			}
		case s.watchers[who.Source] != nil:
			add(s.watchers[who.Source].Workdir(agentID), false)
		}
	}
	add(s.cfg.Folder, false)
	for _, root := range s.cfg.Workspaces {
		add(root, true)
	}
	return list
}

// show reads a file of the workspace. A file outside of it is fs.ErrNotExist.
func (at workspace) show(ctx context.Context, name, home string) (survey.Text, error) {
	open := survey.Open
	if at.ours {
		open = survey.OpenWorkspace
	}
	folder, err := open(ctx, at.dir, home)
	if err != nil {
		return survey.Text{}, fs.ErrNotExist // it is gone, or not a folder that is shown
	}
	defer func() { _ = folder.Close() }()
	rest := name
	if filepath.IsAbs(name) {
		ok := false
		for _, root := range []string{at.dir, folder.Dir()} { // a path may reach the root through a link
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
