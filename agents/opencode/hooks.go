package opencode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook"
	"github.com/bullpen-office/bullpen/agents/opencode/translate"
)

// hooks installs the plugin.
type hooks struct{}

const hooksHelp = `OpenCode (opencode): install writes the plugin plugin/bullpen.js in OpenCode's
directory (~/.config/opencode; with --project, .opencode in that project). Nothing else
is changed. Sessions that are already running use the plugin after a restart.`

// Help returns the paragraph for `bullpen hooks --help`.
func (hooks) Help() string { return hooksHelp }

// Found reports whether OpenCode or its directory is on this machine.
func (hooks) Found() bool {
	if _, err := exec.LookPath(translate.Source); err == nil {
		return true
	}
	dir := configDir(os.Getenv, agents.Home())
	_, err := os.Stat(dir)
	return dir != "" && err == nil
}

// path returns the path of the plugin for a project or, if project is empty, for all sessions.
func (hooks) path(project string) (string, error) {
	if project != "" {
		dir, err := filepath.Abs(project)
		return pluginFile(filepath.Join(dir, ".opencode")), err
	}
	dir := configDir(os.Getenv, agents.Home())
	if dir == "" {
		return "", &agents.UsageError{Err: errors.New("cannot find OpenCode's directory: no home directory; set XDG_CONFIG_HOME or use --project DIR")}
	}
	return pluginFile(dir), nil
}

// Install writes the plugin.
func (s hooks) Install(_ context.Context, h agents.HookConfig) (r agents.HookReport, err error) {
	if h.Transport == agents.HooksByHTTP {
		return r, &agents.UsageError{Err: errors.New("OpenCode's plugin runs a command: use --transport command")}
	}
	path, err := s.path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := own(path).Install(plugin(hookCommand(h.Self, h.DataDirFlag, h.TypedURL)))
	if err != nil {
		return agents.HookReport{JSON: done}, err
	}
	verb := "installed the plugin"
	if !done.Changed {
		verb = "already installed: the plugin"
	}
	lines := []string{verb + " " + done.Path}
	if done.Backup != "" {
		lines = append(lines, "the edited plugin is saved as "+done.Backup)
	}
	if h.Token {
		lines = append(lines, fmt.Sprintf("the office requires a token: create one with `bullpen token create --role agent`, and start OpenCode with %s set to that token", hook.TokenVariable))
	}
	return agents.HookReport{JSON: done, Lines: lines}, nil
}

// Remove removes the plugin.
func (s hooks) Remove(_ context.Context, h agents.HookConfig) (r agents.HookReport, err error) {
	path, err := s.path(h.Project)
	if err != nil {
		return r, err
	}
	done, err := own(path).Remove()
	line := "no Bullpen plugin at " + path
	if done.Removed {
		line = "removed " + done.Path
	}
	return agents.HookReport{JSON: done, Lines: []string{line}}, err
}

// Summary describes the plugin that is installed for all of the user's sessions.
func (s hooks) Summary(office string) (h agents.HookSummary) {
	var err error
	if h.Path, err = s.path(""); err != nil {
		return h
	}
	text, err := own(h.Path).Read()
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	if h.Installed = text != nil; h.Installed {
		h.Events = 1
	}
	if at := option(commandOf(text), "--url"); office != "" && at != "" && at != office {
		h.OtherOffice = agents.WithoutSecrets(at)
	}
	return h
}

// pluginStatus is the output of `bullpen hooks status opencode --json`.
type pluginStatus struct {
	Path      string   `json:"path"`
	Installed bool     `json:"installed"`
	Command   []string `json:"command,omitzero"`
	Office    string   `json:"office,omitzero"`
	Answers   bool     `json:"answers"`
	Problems  []string `json:"problems"`
}

// Status compares the installed plugin with the expected one.
func (s hooks) Status(_ context.Context, h agents.HookConfig) (agents.HookReport, error) {
	path, err := s.path(h.Project)
	if err != nil {
		return agents.HookReport{}, err
	}
	text, err := own(path).Read()
	if err != nil {
		return agents.HookReport{}, err
	}
	r := pluginStatus{Path: path, Installed: text != nil, Command: commandOf(text), Office: h.OfficeURL, Answers: h.OfficeRunning, Problems: []string{}}
	if r.Installed {
		r.Problems = problems(text, h)
	}
	return agents.HookReport{JSON: r, Lines: r.lines(h), Problems: r.Problems}, nil
}

// problems explains how the installed plugin differs from the expected plugin for this office.
func problems(text []byte, h agents.HookConfig) []string {
	again := "; run `" + h.InstallCommand("opencode") + "` again"
	command := commandOf(text)
	if !bytes.Equal(text, plugin(command)) || len(command) == 0 {
		return []string{"the plugin is from another version of Bullpen or was edited" + again}
	}
	at := option(command, "--url")
	_, err := os.Stat(command[0])
	switch {
	case err != nil:
		return []string{"the hook command no longer exists: " + command[0] + again}
	case at != "" && at != h.OfficeURL && at != h.TypedURL:
		return []string{"the plugin reports to " + agents.WithoutSecrets(at) + ", not to this office" + again}
	case at == "" && option(command, "--data") != h.DataDirFlag:
		return []string{"the plugin reports to an office with another data directory, not to the office with data directory " + h.DataDir + again}
	}
	return []string{}
}

func (r *pluginStatus) lines(h agents.HookConfig) []string {
	state := "not installed; run `" + h.InstallCommand("opencode") + "`"
	if r.Installed {
		state = "installed"
	}
	lines := []string{fmt.Sprintf("plugin    %s (%s)", state, r.Path)}
	if r.Answers {
		lines = append(lines, "office    running at "+r.Office)
	} else {
		lines = append(lines, "office    not running; events are stored on disk until it starts")
	}
	if r.Command != nil {
		lines = append(lines, "command   "+strings.Join(r.Command, " "))
	}
	for _, p := range r.Problems {
		lines = append(lines, "problem   "+p)
	}
	return lines
}
