// Package guests describes the Codex sessions that people run themselves: their hooks, their
// rollout files and their processes. It reads Codex's files and never writes to them.
package guests

import (
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// Vendor returns a new description of Codex. Each watcher needs its own, because the description's
// scanner remembers the files of earlier days.
func Vendor() guest.Vendor {
	return guest.Vendor{
		Source: translate.Source, Label: translate.Label,
		ParseHook: parseHook, NewSession: translate.NewSession,
		Files: new(scanner).files, ParseRow: parseRow,
		IsProgram: IsProgram, AskWait: contracts.HookAskWait,
	}
}

func parseHook(body []byte, _ bool) (guest.Hook, error) {
	h, err := translate.ParseHook(body)
	if err != nil {
		return nil, err
	}
	return h, nil
}

func parseRow(line []byte) (guest.Row, error) {
	r, err := translate.ParseRow(line)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// IsProgram reports whether a program is Codex. If the executable runs a script, as in the npm
// package, the script's name decides.
func IsProgram(executable string, args []string) bool {
	name := filepath.Base(executable)
	if script, ok := guest.Script(name, args); ok {
		name = filepath.Base(script)
	}
	return strings.HasPrefix(strings.ToLower(name), "codex")
}
