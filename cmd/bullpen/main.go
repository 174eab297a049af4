// Command bullpen runs the office and looks after it. It holds flags,
// configuration and wiring, and nothing else: what the office does is in the
// packages that it puts together.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand { // this program again, to watch over one that it started
		os.Exit(process.Tend(os.Args[2:]))
	}
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program but for the process: tests call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(forPeople(stdout))
	root.SetErr(forPeople(stderr))
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if wantsJSON(cmd) || cmd.Annotations[asItIs] != "" {
			root.SetOut(stdout)
			root.SetErr(stderr)
		}
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	no := failure{Error: err.Error(), ExitCode: exitFailed}
	var coded *exitError
	if errors.As(err, &coded) {
		no.ExitCode, no.Code = coded.code, coded.reason
	} else if strings.HasPrefix(no.Error, "unknown command") {
		no.ExitCode = exitUsage // cobra has no type for it
	}
	switch {
	case no.Error == "":
	case wantsJSON(cmd) || cmd.HasSubCommands() && jsonWords(args):
		_ = printJSON(stderr, no)
	default:
		fmt.Fprintln(forPeople(stderr), "bullpen: "+no.Error)
	}
	return no.ExitCode
}

// jsonWords reports whether JSON is wanted of a command that was not found.
func jsonWords(args []string) bool {
	set, _ := strconv.ParseBool(os.Getenv(environmentName("json")))
	return set || slices.Contains(args, "--json")
}

// wantsJSON reports whether a command is to print JSON, by its flag or by the
// environment; it makes the flag say so.
func wantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("json")
	if f == nil {
		return false
	}
	if value, ok := os.LookupEnv(environmentName("json")); ok && !f.Changed {
		_ = f.Value.Set(value) // what is no truth value is told by whoever loads the settings
	}
	return f.Value.String() == "true"
}

// failure is an error with --json.
type failure struct {
	Error    string              `json:"error"`
	ExitCode int                 `json:"exit_code"`
	Code     contracts.ErrorCode `json:"code,omitzero"` // why the office refused it
}
