// Package guests describes the Claude Code sessions that people run themselves: their hooks, their
// transcripts and their processes. It reads Claude Code's files and never writes them.
package guests

import (
	"path"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
)

// Vendor describes Claude Code.
var Vendor = guest.Vendor{
	Source: translate.Source, Label: "Claude Code",
	ParseHook: parseHook, NewSession: translate.NewGuest,
	Files: files, ParseRow: parseRow,
	DescribedIn:      func(file string) string { return strings.TrimSuffix(file, ".jsonl") + ".meta.json" },
	ParseDescription: parseDescription,
	LiveDir:          "sessions", ParseLive: parseLive,
	IsProgram: isClaude,
}

func parseHook(body []byte, stored bool) (guest.Hook, error) {
	h, err := translate.ParseHook(body)
	if err != nil {
		return nil, err
	}
	h.Stored = stored
	return h, nil
}

func parseRow(line []byte) (guest.Row, error) {
	r, err := translate.ParseRow(line)
	if r == nil || err != nil {
		return nil, err
	}
	return r, nil
}

func parseDescription(content []byte) (kind, text string, ok bool) {
	var d struct {
		Kind string `json:"agentType"`
		Text string `json:"description"`
	}
	ok = json.Unmarshal(content, &d) == nil
	return d.Kind, d.Text, ok
}

func parseLive(content []byte) (guest.Live, error) {
	l, err := translate.ParseLive(content)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "linux" {
		l.Start = "" // other systems measure a process's start time differently
	}
	return l, nil
}

// isClaude reports whether a program is Claude Code. It checks the executable, not the process
// name. The native installer installs Claude Code as claude/versions/VERSION.
func isClaude(executable string, args []string) bool {
	return isNamedClaude(executable, args) || strings.HasSuffix(path.Dir(executable), "/claude/versions")
}

var isNamedClaude = guest.Program("claude", "@anthropic-ai/claude-code")
