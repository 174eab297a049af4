// Command bullpen runs and maintains the office. It contains the commands: flags, configuration,
// output, and logic that only the command line needs, such as the checks of `bullpen doctor`.
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
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand { // a copy of this program that supervises a child process
		os.Exit(process.Tend(os.Args[2:]))
	}
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run executes a command line and returns the exit code; tests call it too.
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
	var unknown error // in a call with --help, whose arguments cobra does not check
	printHelp := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() {
			unknown = cmd.ValidateArgs(words)
		}
		if unknown == nil {
			printHelp(cmd, args)
		}
	})
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = unknown
	}
	if err == nil {
		return exitOK
	}
	fail := failure{Error: message(err), ExitCode: exitFailed}
	var coded *exitError
	if errors.As(err, &coded) {
		fail.ExitCode, fail.Code = coded.code, coded.reason
	} else if strings.HasPrefix(fail.Error, "unknown command") {
		fail.ExitCode = exitUsage // cobra has no type for usage errors
	}
	switch {
	case fail.Error == "":
	case wantsJSON(cmd) || cmd.HasSubCommands() && argsWantJSON(args):
		_ = printJSON(stderr, fail)
	default:
		fmt.Fprintln(forPeople(stderr), "bullpen: "+fail.Error)
	}
	return fail.ExitCode
}

// argsWantJSON reports whether the command line or the environment asks for JSON. It is needed for
// unknown commands, which have no flags.
func argsWantJSON(args []string) bool {
	set, _ := strconv.ParseBool(os.Getenv(environmentName("json")))
	return set || slices.Contains(args, "--json")
}

// wantsJSON reports whether a command should print JSON. The flag --json takes precedence over the
// environment variable.
func wantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("json")
	if f == nil {
		return false
	}
	if value, ok := os.LookupEnv(environmentName("json")); ok && !f.Changed {
		_ = f.Value.Set(value) // an invalid value is reported when the settings are loaded
	}
	return f.Value.String() == "true"
}

// failure is the JSON form of an error, printed with --json.
type failure struct {
	Error    string              `json:"error"`
	ExitCode int                 `json:"exit_code"`
	Code     contracts.ErrorCode `json:"code,omitzero"` // the office's reason, if it refused
}
