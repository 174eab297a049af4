package opencode

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/agents/opencode/translate"
	"github.com/bullpen-office/bullpen/hud"
)

// template is the plugin with an empty command.
//
//go:embed plugin.js
var template []byte

const (
	mark         = "// Bullpen's plugin for OpenCode"
	commandStart = "\nconst command = "
)

// plugin returns the plugin that runs a command for each event.
func plugin(command []string) []byte {
	return bytes.Replace(template, []byte(commandStart+"[]"), slices.Concat([]byte(commandStart), hud.Value(command)), 1)
}

// commandOf returns the command in a plugin, or nil if there is none.
func commandOf(text []byte) (command []string) {
	_, rest, _ := bytes.Cut(text, []byte(commandStart))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if json.Unmarshal(line, &command) != nil {
		return nil
	}
	return command
}

// option returns the value of a flag in a command, or "" if the flag is not set.
func option(command []string, flag string) string {
	if i := slices.Index(command, flag); i >= 0 && i+1 < len(command) {
		return command[i+1]
	}
	return ""
}

// hookCommand returns the command that reports events to an office.
func hookCommand(self, dataDir, url string) []string {
	command := []string{self, "hook", translate.Source}
	if dataDir != "" {
		command = append(command, "--data", dataDir)
	}
	if url != "" {
		command = append(command, "--url", strings.TrimRight(url, "/"))
	}
	return command
}

// pluginFile returns the path of the plugin in OpenCode's directory or in a project's .opencode.
func pluginFile(dir string) string { return filepath.Join(dir, "plugin", "bullpen.js") }

// own returns the plugin at a path.
func own(path string) install.OwnFile {
	return install.OwnFile{Path: path, Mark: mark, Original: original}
}

// original returns old, an installed plugin, without any edits: the template with old's command.
func original(old []byte) []byte { return plugin(commandOf(old)) }

// configDir returns the directory with OpenCode's settings and plugins, or "" if it is unknown.
func configDir(getenv func(string) string, home string) string {
	if dir := getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "opencode")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "opencode")
}
