// Package guests describes the Copilot CLI sessions that people run themselves: their hooks, their
// files and their processes. It reads Copilot CLI's files and never writes them.
package guests

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents/copilot/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// Vendor returns a description of Copilot CLI. dir is the directory to watch, or "" if no files are
// read.
func Vendor(dir string) guest.Vendor {
	return guest.Vendor{
		Source: translate.Source, Label: translate.Label, NewSession: translate.NewSession,
		ParseHook: func(body []byte, _ bool) (guest.Hook, error) {
			h, err := translate.ParseHook(body)
			if err != nil {
				return nil, err
			}
			h.HasFile = writesFile(dir, h.SessionID)
			return h, nil
		},
		Files: files, ParseRow: parseRow,
		IsProgram: IsProgram, AskWait: contracts.HookAskWait,
	}
}

func parseRow(line []byte) (guest.Row, error) {
	r, err := translate.ParseRow(line)
	if r == nil {
		return nil, err
	}
	return r, nil
}

// Each session has a directory, session-state/ID. The file events.jsonl in it is created on the
// first prompt.
const (
	sessionsDir = "session-state"
	eventsFile  = "events.jsonl"
)

// writesFile reports whether a session writes a file that the office reads. A session on another
// machine does not.
func writesFile(dir, session string) bool {
	if dir == "" || session == "." || session != filepath.Base(session) || !filepath.IsLocal(session) {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, sessionsDir, session))
	return err == nil && info.IsDir()
}

// files lists the recently written session files.
func files(s guest.Scan) (list []guest.File) {
	dir := filepath.Join(s.Dir, sessionsDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), eventsFile)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || len(e.Name()) > contracts.LimitName || s.Now.Sub(info.ModTime()) > contracts.SessionFreshness {
			continue
		}
		list = append(list, guest.File{Path: path, Session: e.Name(), Changed: info.ModTime()})
	}
	return list
}

// IsProgram reports whether a program is Copilot CLI. The npm package starts it from a script;
// older versions run in the script itself.
func IsProgram(executable string, args []string) bool {
	name := filepath.Base(executable)
	if script, ok := guest.Script(name, args); ok {
		return strings.Contains(filepath.ToSlash(script), "/@github/copilot") || filepath.Base(script) == "copilot"
	}
	return strings.HasPrefix(strings.ToLower(name), "copilot")
}
