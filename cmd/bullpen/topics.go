package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const environmentHelp = `Most flags have an environment variable: for --public-url it is BULLPEN_PUBLIC_URL. A flag
overrides the environment, which overrides the configuration file. Flags that apply only to one
call, such as the filters of ` + "`bullpen tail`" + `, have none.

  BULLPEN_DATA_DIR  data directory of the office (--data)
  BULLPEN_URL       address of the office (--url)
  BULLPEN_TOKEN     token for every command; if it is not set, commands use the owner token
                    for the office in the data directory, and send no token to other addresses
  BULLPEN_CACERT    CA certificate that signed the office's TLS certificate (--cacert)
  BULLPEN_JSON      1 prints JSON (--json)
  NO_COLOR          any value turns colours off

` + "`bullpen exec`" + ` sets these variables, and ` + "`bullpen emit`, `ask` and `exec`" + ` read them:

  ` + envURL + `      address of the office
  ` + envToken + `    copy of ` + tokenVariable + `, if set
  ` + envAgent + `    agent that events belong to; if ` + tokenVariable + ` is set, only with --agent
  ` + envRun + `      run that events belong to
  ` + envSession + `  session that events belong to`

// withoutJSON lists the commands without --json: their output is for a person, belongs to
// another program, or has its own format.
var withoutJSON = []string{"serve", "join", "tui", "exec", "mcp", "config example", "scene plan", "completion", "man", "help"}

var jsonHelp = `With --json, or BULLPEN_JSON=1, a command prints one JSON object on standard output.
Lists are named members of that object: {"agents":[…]}, {"tokens":[…]}, {"checks":[…]}. Keys may be
added, but existing keys do not change. tail, chat without TEXT and export print one object
per line, and nothing if there is nothing to show.

Statuses use the same words in JSON and in text: in_progress is "In progress" in a table.
There are three exceptions. An agent's "state", such as IdleAtHome, is the state in the
protocol; the table shows "doing". A check's "end" says how its process ended, not whether
it passed; see "exit_code" and "stale". A project whose plan is waiting to be started is
"Waiting for you" in text. ` + "`bullpen receipt TASK`" + ` lists only checks that ran.

Errors are JSON on standard error: {"error":"…","exit_code":5}, plus a "code" such as
CONFLICT if the office refused the request. Notes are {"note":"…"}. Exit codes are the
same as without --json (see ` + "`bullpen help exit-codes`" + `).

These commands have no --json, because their output is for a person, belongs to another
program, or has its own format: ` + strings.Join(withoutJSON, ", ") + `.`

// helpTopics returns the pages of `bullpen help` that do not describe a command.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "List the exit codes", Long: exitHelp()},
		{Use: "json", Short: "Describe the output of --json", Long: jsonHelp},
		{Use: "environment", Short: "List the environment variables", Long: environmentHelp},
	}
}
