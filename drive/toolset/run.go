package toolset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/hud"
)

type runArgs struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
}

func (a runArgs) check(*workspace.Workspace) error {
	if strings.TrimSpace(a.Command) == "" {
		return errors.New(`the argument "command" is missing`)
	}
	return nil
}

func runCommand(ctx context.Context, s *Set, a runArgs) (outcome, error) {
	timeout := contracts.RunTimeout
	if a.Timeout > 0 {
		timeout = min(time.Duration(min(a.Timeout, 1<<20))*time.Second, contracts.RunMaxTimeout)
	}
	result, err := s.cfg.Workspace.Run(ctx, a.Command, timeout)
	shown := hud.Exec(a.Command, result.ExitCode, result.Text, "")
	shown.Truncated = result.Cut
	end := fmt.Sprintf("exit code %d", result.ExitCode)
	switch {
	case err != nil:
		return outcome{shown: hud.Failed(shown, err.Error())}, err
	case result.TimedOut:
		end = fmt.Sprintf("the command was stopped after %s", timeout)
		return outcome{end + "\n" + lastPart(result), hud.Failed(shown, end)}, nil
	}
	return outcome{end + "\n" + lastPart(result), shown}, nil
}

// lastPart returns the end of a command's output, at most LimitToolText bytes.
func lastPart(r workspace.Output) string {
	tail := process.Tail{Limit: contracts.LimitToolText}
	_, _ = tail.Write([]byte(r.Text))
	text, cut := tail.Text()
	if cut || r.Cut {
		return "[the start of the output is omitted]\n" + text
	}
	return text
}
