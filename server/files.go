package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/survey"
)

// serveFile shows a file of the folder that the office was started in. It only
// reads, and only what a report on the folder would name.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	if !mayOpenFiles(w, r) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.SurveyTimeout)
	defer cancel()
	home, _ := os.UserHomeDir() // without one nothing is known to be private
	folder, err := survey.Open(ctx, s.cfg.Folder, home)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "the office was not started in a project folder, so it shows no files")
		return
	}
	defer func() { _ = folder.Close() }()
	text, err := folder.Show(ctx, r.PathValue("path"))
	if err != nil {
		s.refuseFile(w, err)
		return
	}
	gate.Answer(w, http.StatusOK, text)
}

// mayOpenFiles refuses callers without the operator credential. The open loopback door is
// not enough: every local user could read this user's files through it.
func mayOpenFiles(w http.ResponseWriter, r *http.Request) bool {
	if gate.PrincipalFrom(r).Permit {
		return true
	}
	gate.Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "opening files requires the operator credential: open the office with `bullpen open`, or send an operator token")
	return false
}

// refuseFile says why a file is not shown.
func (s *Server) refuseFile(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no such file in a known workspace, or it is not shown: ignored by git, a symbolic link, or likely to hold secrets; the directory of a Claude Code session is known once its transcript or process shows it")
	case errors.Is(err, survey.ErrNotText):
		gate.Refuse(w, http.StatusUnsupportedMediaType, contracts.CodeValidationFailed, "this file is not text")
	default:
		s.cfg.Log.Warn("workspace file not read", "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the workspace cannot be read now; try again")
	}
}
