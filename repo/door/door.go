// Package door shows files from the folder that the office was started in and from agents'
// workspaces, compares versions of patches, and signs receipts for tasks. It never changes the
// files or branches of a repository, and shows only those files in a folder that a survey would
// list.
package door

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/survey"
)

// Config configures a Door. All fields except KeyDir and Node are required.
type Config struct {
	Folder     string                                  // folder that the office was started in
	Workspaces func(agentID string) []survey.Workspace // directories that may contain an agent's files
	Task       func(id string) (contracts.Task, bool)  // a task with its verdict and checks
	Artifact   func(ctx context.Context, id string) (contracts.Artifact, bool, error)
	Repo       func(name string) (contracts.Repo, bool)
	Node       string // name of this node; empty if there is only one
	KeyDir     string // directory of the key that signs receipts; empty if there is none
	Log        *slog.Logger
}

// Door provides read-only HTTP access to files, comparisons and receipts.
type Door struct {
	cfg       Config
	comparing chan struct{} // limits how many comparisons run at the same time
}

// New returns a Door; Doors returns its routes for operators.
func New(cfg Config) *Door {
	return &Door{cfg, make(chan struct{}, contracts.LimitComparisons)}
}

// Doors returns the routes that require an operator, by pattern. ServeChanges is not one of them,
// because viewers may use it too.
func (d *Door) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /v1/files":              d.serveWorkFile,
		"GET /v1/files/{path...}":    d.serveFile,
		"GET /v1/tasks/{id}/receipt": d.serveReceipt,
	}
}

// serveFile responds with a file from the folder that the office was started in. It serves only
// files that a survey of the folder would list.
func (d *Door) serveFile(w http.ResponseWriter, r *http.Request) {
	if !mayOpenFiles(w, r) {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.SurveyTimeout)
	defer cancel()
	home, _ := os.UserHomeDir() // without a home directory, no path is known to be private
	folder, err := survey.Open(ctx, d.cfg.Folder, home)
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "the office was not started in a project folder, so there are no files to show")
		return
	}
	defer func() { _ = folder.Close() }()
	text, err := folder.Show(ctx, r.PathValue("path"))
	if err != nil {
		d.refuse(w, err)
		return
	}
	gate.Answer(w, http.StatusOK, text)
}

// serveWorkFile responds with the file at a path that an agent reported: absolute, starting with
// ~/, or relative to the agent's working directory. It shows only files in known workspaces, under
// the same rules as serveFile.
func (d *Door) serveWorkFile(w http.ResponseWriter, r *http.Request) {
	if !mayOpenFiles(w, r) {
		return
	}
	name := r.URL.Query().Get("path")
	if name == "" || len(name) > contracts.LimitFilePath || strings.ContainsRune(name, 0) {
		gate.Refuse(w, http.StatusBadRequest, contracts.CodeValidationFailed, "path is required and must be at most %d bytes long", contracts.LimitFilePath)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.SurveyTimeout)
	defer cancel()
	home, _ := os.UserHomeDir() // without a home directory, no path is known to be private
	if rest, ok := strings.CutPrefix(name, "~/"); ok && home != "" {
		name = filepath.Join(home, rest)
	}
	var last error = fs.ErrNotExist
	for _, at := range d.cfg.Workspaces(r.URL.Query().Get("agent")) {
		text, err := at.Show(ctx, name, home)
		if err == nil {
			gate.Answer(w, http.StatusOK, text)
			return
		}
		if !errors.Is(err, fs.ErrNotExist) {
			last = err
		}
	}
	d.refuse(w, last)
}

// mayOpenFiles reports whether the caller has an operator credential, and refuses the request if
// not. A loopback connection is not enough, because then every local user could read this user's
// files.
func mayOpenFiles(w http.ResponseWriter, r *http.Request) bool {
	if gate.PrincipalFrom(r).Permit {
		return true
	}
	gate.Answer(w, http.StatusForbidden, contracts.RefuseWithoutOperator("opening files"))
	return false
}

// refuse explains in the response why a file is not shown, without naming paths.
func (d *Door) refuse(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "file not found in a known workspace, or not shown: files that git ignores, dependencies and build output, symbolic links, and files that may contain secrets are not shown; a guest's directory becomes known when its watcher confirms it")
	case errors.Is(err, survey.ErrNotText):
		gate.Refuse(w, http.StatusUnsupportedMediaType, contracts.CodeValidationFailed, "not a text file")
	default:
		d.cfg.Log.Warn("workspace file not read", "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the workspace cannot be read right now; try again")
	}
}
