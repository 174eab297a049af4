package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
)

// Place is where a vendor's program keeps its hooks. Only ProjectFile is optional.
type Place struct {
	Program     *Program
	Dir         agents.Dir
	File        string // file in Dir with the hooks for all of the user's sessions
	ProjectFile string // file in a project that contains the hooks for the project's sessions; empty if the program has no such file
}

// Path returns the path of the project's file if project is set, and of the user's file otherwise.
func (p Place) Path(project string) (string, error) {
	if project != "" && p.ProjectFile == "" {
		return "", &agents.UsageError{Err: fmt.Errorf("the hooks of %s apply to all projects: omit --project", p.Dir.Label)}
	}
	if project != "" {
		dir, err := filepath.Abs(project)
		return filepath.Join(dir, filepath.FromSlash(p.ProjectFile)), err
	}
	dir, err := p.Dir.UserPath()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, p.File), nil
}

// Found reports whether the program or its directory is on this machine.
func (p Place) Found() bool {
	if _, err := exec.LookPath(p.Program.Name); err == nil {
		return true
	}
	dir, err := p.Dir.UserPath()
	if err == nil {
		_, err = os.Stat(dir)
	}
	return err == nil
}

// Remove removes our hooks from the file that h selects.
func (p Place) Remove(_ context.Context, h agents.HookConfig) (agents.HookReport, error) {
	path, err := p.Path(h.Project)
	if err != nil {
		return agents.HookReport{}, err
	}
	done, err := p.Program.UninstallFile(path)
	return agents.HookReport{JSON: done, Lines: done.RemovedLines()}, err
}

// OfficeCommand returns the shell command for a hook that reports to the office with this data
// directory or address; empty means the default.
func (p *Program) OfficeCommand(self, dataDir, url string) string {
	var args []string
	if dataDir != "" {
		args = []string{"--data", dataDir}
	}
	if url != "" {
		args = append(args, "--url", strings.TrimRight(url, "/"))
	}
	return p.Command(self, args...)
}
