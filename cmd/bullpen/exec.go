package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
)

const execHelp = `Run a command and show it in the office: its start, exit code and last output appear
as an agent's tool call. Input, output, terminal, signals and exit code are passed
through unchanged. If the office is down, the command runs as usual: it neither fails
nor waits.

Output lines of the form

  ::abstract.NAME::PAYLOAD

are sent as events, as with ` + "`bullpen emit`" + `: ::abstract.status::Indexing, or
::abstract.progress::{"percent":40}. They stay in the output.

Without --agent, events belong to the agent that the token in ` + tokenVariable + ` is
bound to. If there is no such agent, they belong to a guest named after the command.

The command receives these environment variables: ` + envURL + `, ` + envAgent + `, ` + envRun + `,
` + envSession + ` if there is a session, and ` + envToken + ` if ` + tokenVariable + ` is set
(in that case, ` + envAgent + ` is set only with --agent). ` + "`bullpen emit`, `bullpen ask`" + `
and ` + "`bullpen exec`" + ` read them. The owner token is never passed on, but a command
that can read the data directory can read it there.

In a terminal the command gets its own pseudo-terminal. With --direct it uses yours, and
the office does not see its output. Background processes that the command leaves behind
can no longer write to the output, except with --direct.`

const execExample = `  bullpen exec --agent build -- make test
  bullpen exec --agent deploy -- sh -c 'echo ::abstract.status::Uploading; ./upload'`

// execution is one run of `bullpen exec`.
type execution struct {
	who    speaker
	guess  bool   // no agent was given, so the agent is named after the command
	ownRun bool   // the run begins and ends with this command
	call   string // id of the tool call
	argv   []string
	direct bool
	report *reporter
	tail   *process.Tail

	in       io.Reader
	out, err io.Writer
}

func newExecCommand() *cobra.Command {
	var x execution
	var quiet bool
	var flush time.Duration
	v := &verb{settings: newSettings()}
	c := &cobra.Command{
		Use: "exec [flags] -- COMMAND [ARG…]", Short: "Run a command and show it in the office", Long: execHelp, Example: execExample, Annotations: map[string]string{asItIs: "true"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("`%s` needs a command to run; see `%s --help`", cmd.CommandPath(), cmd.CommandPath())
			}
			return nil
		},
	}
	f := c.Flags()
	f.SetInterspersed(false)
	v.settings.registerData(f)
	registerURL(f, &v.url)
	x.who.register(f)
	f.BoolVar(&x.direct, "direct", false, "connect the command directly to the terminal; the office then sees neither its output nor the events in that output")
	f.BoolVar(&quiet, "quiet", false, "do not report lost events when the command exits (they are reported only in a terminal)")
	f.DurationVar(&flush, "flush", contracts.ExecFlush, "how long to wait, after the command exits, for a slow office to accept the remaining events")
	f.Lookup("source").Usage = "scope of event ids: events with the same id and source are recorded once (default: the token and the agent)"
	onlyTyped(f, "source", "direct")
	completeAgents(c, "agent")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		x.argv, x.in, x.out, x.err = args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
		unusable := v.settings.load()
		x.open(flush, func() (*client, error) {
			if unusable != nil {
				return nil, unusable
			}
			return v.find()
		})
		code, err := x.run()
		if lost := x.report.close(); lost != "" && !quiet && isTerminal(x.err) {
			fmt.Fprintln(x.err, "bullpen: "+lost)
		}
		if code == exitOK && err == nil {
			return nil
		}
		return &exitError{code: code, err: err}
	}
	return c
}

// open prepares the run and its reporter. The command also runs without an office.
func (x *execution) open(flush time.Duration, find func() (*client, error)) {
	x.call = "call_" + newSuffix()
	x.report = newReporter(flush, find)
	x.who.fromEnvironment()
	if x.guess = x.who.agent == ""; x.guess {
		x.who.agent = strings.TrimSuffix(filepath.Base(x.argv[0]), ".exe")
		x.report.guess = true
	}
	if x.ownRun = x.who.run == ""; x.ownRun {
		x.who.run = "run_" + newSuffix()
	}
	x.tail = &process.Tail{Limit: contracts.LimitExecTail}
}

// run runs the command, reports its start and end, and returns its exit code.
func (x *execution) run() (code int, err error) {
	x.report.start()
	x.reportEvent("tool_execution", map[string]any{"tool": "exec", "call_id": x.call, "arguments": x.arguments()})
	code, err = x.process()
	result := map[string]any{"tool": "exec", "call_id": x.call, "success": code == exitOK && err == nil, "exit_code": code, "output": x.outcome(code, err)}
	x.report.enqueueFinal(x.event("tool_result", result))
	if x.ownRun { // this command is the whole run
		x.report.enqueueFinal(x.event("status", ""))
	}
	return code, err
}

func (x *execution) arguments() map[string]any {
	args := map[string]any{"command": strings.Join(x.argv, " "), "argv": x.argv}
	if dir, err := os.Getwd(); err == nil {
		args["cwd"] = dir
	}
	return args
}

// outcome returns the text that the office shows when the command has ended: its last output and,
// unless it succeeded, how it ended.
func (x *execution) outcome(code int, err error) string {
	output, end := lastOutput(x.tail), fmt.Sprintf("exit code %d", code)
	switch {
	case err != nil:
		end = err.Error()
	case code > exitSignal:
		end = fmt.Sprintf("terminated by signal %d", code-exitSignal)
	case code == exitOK && output != "":
		return output
	}
	return strings.TrimLeft(output+"\n"+end, "\n")
}

func (x *execution) reportEvent(kind string, payload any) { x.report.enqueue(x.event(kind, payload)) }

func (x *execution) environment() []string {
	env := os.Environ()
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	if given := os.Getenv(tokenVariable); !x.guess || given == "" { // otherwise the token may be bound to another agent
		set(envAgent, x.who.agent)
	}
	set(envRun, x.who.run)
	set(envSession, x.who.session)
	set(envToken, os.Getenv(tokenVariable))
	if c := x.report.office(); c != nil {
		set(envURL, c.base)
		set("BULLPEN_URL", c.base)
	}
	return env
}
