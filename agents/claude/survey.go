package claude

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/guests"
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
)

// vendor returns the description of Claude Code, including a survey of the sessions that people run.
func vendor() guest.Vendor {
	v := guests.Vendor
	v.Survey = survey
	return v
}

// survey returns the sessions that Claude Code reports as active, or nothing if Claude Code is not
// installed.
func survey(ctx context.Context, config string) ([]guest.Report, error) {
	path := ""
	for _, c := range candidates(agents.Home()) {
		if found, err := exec.LookPath(c); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, nil
	}
	env := os.Environ()
	if config != "" && config != dir.Path(os.Getenv, agents.Home()) {
		env = append(env, dir.Variable+"="+config)
	}
	printed, err := process.Run(ctx, process.Spec{Path: path, Args: translate.AgentsCommand, Env: env}, contracts.LimitSurvey)
	if err != nil {
		return nil, err
	}
	return translate.ParseAgents(printed)
}

// candidates returns the places where Claude Code may be installed.
func candidates(home string) []string {
	list := []string{"claude"}
	if home != "" {
		list = append(list, filepath.Join(home, ".claude", "local", "claude"), filepath.Join(home, ".local", "bin", "claude"))
	}
	return list
}
