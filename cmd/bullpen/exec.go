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
)

const execHelp = `Run a command, and let the office see it: its start and its end with exit code and
the end of its output are a tool call of the agent. Input, output, terminal, signals
and exit code are the command's own. An office that is away changes nothing: the
command neither fails nor waits for it.

Lines of the output of the form

  ::abstract.NAME::PAYLOAD

are events as of ` + "`bullpen emit`" + `: ::abstract.status::Indexing, or
::abstract.progress::{"percent":40}. They stay in the output.

Without --agent the agent is the one that the token in ` + tokenVariable + ` speaks for, and
otherwise a guest that is called like the command.

The command finds in its environment: ` + envURL + `, ` + envAgent + `, ` + envRun + `,
` + envSession + ` where there is a session, and ` + envToken + ` where ` + tokenVariable + ` is set;
then ` + envAgent + ` is there only if the agent was named. ` + "`bullpen emit`, `bullpen ask`" + `
and ` + "`bullpen exec`" + ` use them by themselves. The owner's token is never handed on, but
a command that can read the data directory finds it there.

In a terminal the command gets a terminal of its own; --direct hands over the one
there is, and nothing is seen of the output then. What the command leaves running
behind it can write no more once it has ended; with --direct it can.`

const execExample = `  bullpen exec --agent build -- make test
  bullpen exec --agent deploy -- sh -c 'echo ::abstract.status::Uploading; ./upload'`

// execution is one command on its way.
type execution struct {
	who    speaker
	guess  bool   // nobody said who it is; it is called like the command
	ownRun bool   // the run begins and ends with the command
	call   string // the id of the tool call
	argv   []string
	direct bool
	report *reporter
	tail   *tail

	in       io.Reader
	out, err io.Writer
}

func newExecCommand() *cobra.Command {
	var x execution
	var quiet bool
	var flush time.Duration
	v := &verb{settings: newSettings()}
	c := &cobra.Command{
		Use: "exec [flags] -- COMMAND [ARG…]", Short: "Run a command and let the office see it", Long: execHelp, Example: execExample, Annotations: map[string]string{asItIs: "true"},
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
	f.BoolVar(&x.direct, "direct", false, "hand the terminal and the output over as they are: no markers, no end of the output")
	f.BoolVar(&quiet, "quiet", false, "do not say at the end what the office did not hear; it is said in a terminal only")
	f.DurationVar(&flush, "flush", contracts.ExecFlush, "how long the end waits, at most, for an office that is slow")
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

// open finds the office, or does without.
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
	x.tail = &tail{limit: contracts.LimitExecTail}
}

// run has the command run from its start to its end, and tells both.
func (x *execution) run() (code int, err error) {
	x.report.start()
	x.tell("tool_execution", map[string]any{"tool": "exec", "call_id": x.call, "arguments": x.arguments()})
	code, err = x.process()
	result := map[string]any{"tool": "exec", "call_id": x.call, "success": code == exitOK && err == nil, "exit_code": code, "output": x.outcome(code, err)}
	x.report.last(x.event("tool_result", result))
	if x.ownRun { // nobody says anything more in it
		x.report.last(x.event("status", ""))
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

// outcome is what the office reads at the end: the end of the output and how it
// ended.
func (x *execution) outcome(code int, err error) string {
	said, end := x.tail.text(), fmt.Sprintf("exit code %d", code)
	switch {
	case err != nil:
		end = err.Error()
	case code > exitSignal:
		end = fmt.Sprintf("ended by signal %d", code-exitSignal)
	case code == exitOK && said != "":
		return said
	}
	return strings.TrimLeft(said+"\n"+end, "\n")
}

func (x *execution) tell(kind string, payload any) { x.report.tell(x.event(kind, payload)) }

// environment is that of the command.
func (x *execution) environment() []string {
	env := os.Environ()
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	if given := os.Getenv(tokenVariable); !x.guess || given == "" { // else the token may be bound to an agent
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
