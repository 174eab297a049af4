package directory

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/repo/survey"
	"github.com/bullpen-office/bullpen/staff"
)

// crewWorkspace returns the working directory of a crew member, or "" if it has none. own is true
// only if the agent is a crew member that works in its own directory.
func (d *Directory) crewWorkspace(runner, agentID string) (dir string, own bool) {
	w, ok := d.workers[runner]
	if caps := drive.CapabilitiesOf(w.Driver); !ok || caps.Work && !caps.Workspace {
		return "", false
	}
	if w.Workspace != nil {
		dir, _ = w.Workspace(agentID) // without a workspace, paths are shown in full
	}
	return dir, true
}

// workspaceFor returns the working directory of an agent: the configured directory, which
// must exist, or the agent's own directory in the data directory, which is created if necessary.
func (d *Directory) workspaceFor(agentID string, r staff.Runner) (string, error) {
	if dir := cmp.Or(d.cfg.Staff.Workspace(agentID), r.Workspace); dir != "" {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			return "", fmt.Errorf("workspace %q does not exist or is not a directory: create it, or change the configuration", dir)
		}
		return dir, nil
	}
	root, err := d.workspacesDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, agentID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("create workspace: %w", err)
	}
	return dir, nil
}

// workspacesDir returns the parent directory of the workspaces for agents without a configured one.
// If the office has no data directory, the directory is temporary.
func (d *Directory) workspacesDir() (string, error) {
	if dir := d.cfg.Drive.DataDir; dir != "" {
		return filepath.Join(dir, "workspaces"), nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.scratch == "" {
		dir, err := os.MkdirTemp("", "bullpen-workspaces-")
		if err != nil {
			return "", fmt.Errorf("create workspaces: %w", err)
		}
		d.scratch = dir
	}
	return d.scratch, nil
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`) })

// spawnWorkspace creates the directory that an agent's program is started in, and returns it with
// its parent directory. Two agents never share a directory, even if the file system ignores case:
// unless the agent's name is plain, the directory's name ends with a dot and a hash.
func (d *Directory) spawnWorkspace(agent string, r staff.Runner) (root, dir string, err error) {
	if root = r.Workspace; root == "" {
		if root, err = d.workspacesDir(); err != nil {
			return "", "", err
		}
	}
	name := string(contracts.PrefixAgent) + "_" + agent
	if !plainName().MatchString(agent) || strings.HasPrefix(agent, string(contracts.PrefixAgent)+"_") {
		name = fmt.Sprintf("%s.%.8x", contracts.AgentIDOf(agent), sha256.Sum256([]byte(agent)))
	}
	dir = filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("create workspace: %w", err)
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // a link could lead to another agent's directory
		return "", "", fmt.Errorf("workspace %s is not a directory: remove or rename it", dir)
	}
	return root, dir, nil
}

// Confine returns a workspace and the configured root that contains it, both with links resolved,
// so that a link cannot lead out of the root. It returns an error if no root contains the
// workspace. Drivers check this again when they enter the workspace.
func (d *Directory) Confine(workspace string) (root, path string, err error) {
	if !filepath.IsAbs(workspace) {
		return "", "", fmt.Errorf("%q is not an absolute path", workspace)
	}
	path, err = filepath.EvalSymlinks(workspace)
	if err != nil {
		return "", "", fmt.Errorf("%q does not exist", workspace)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", "", fmt.Errorf("%q is not a directory", workspace)
	}
	for _, root := range d.cfg.Roots {
		if root, err := filepath.EvalSymlinks(root); err == nil && staff.ContainsPath(root, path) {
			return root, path, nil
		}
	}
	return "", "", fmt.Errorf("%q is outside bridge.roots", workspace)
}

// confined returns the resolved path of a workspace that a caller names for one of the office's
// programs, or an error if Confine rejects the workspace. The second result is always true.
func (d *Directory) confined(workspace string) (path string, confined bool, err error) {
	_, path, err = d.Confine(workspace)
	return path, true, err
}

// Workspaces lists an agent's workspaces, then the office's folder and the configured roots. A
// directory that an agent only claims to work in is not included.
func (d *Directory) Workspaces(agentID string) (list []survey.Workspace) {
	add := func(dir string, ours bool) {
		if filepath.IsAbs(dir) && !slices.ContainsFunc(list, func(w survey.Workspace) bool { return w.Dir == dir }) {
			list = append(list, survey.Workspace{Dir: filepath.Clean(dir), Ours: ours})
		}
	}
	if p, ok := d.cfg.Agent(agentID); ok {
		dir, program := d.crewWorkspace(p.Runner, agentID)
		switch {
		case program:
			add(dir, true)
		case !p.Guest(): // the agent works in the office's folder, or has no directory
		case d.cfg.Workdir != nil && d.cfg.Workdir(p.Source, agentID) != "":
			add(d.cfg.Workdir(p.Source, agentID), false)
		case p.Source == contracts.SourceBridge:
			if _, dir, err := d.Confine(p.Place); err == nil {
				add(dir, false)
			}
		}
	}
	add(d.cfg.Drive.Folder, false)
	for _, root := range d.cfg.Roots {
		add(root, true)
	}
	return list
}
