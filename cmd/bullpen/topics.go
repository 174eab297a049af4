package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const environmentHelp = `Every flag has a twin in the environment: --public-url is BULLPEN_PUBLIC_URL. A flag
wins over the environment, and that over the configuration file. Flags that belong
to one call, such as the filters of ` + "`bullpen tail`" + `, have none.

  BULLPEN_DATA_DIR  where the office keeps its things (--data)
  BULLPEN_URL       address of the office (--url)
  BULLPEN_TOKEN     the credential for every command; without it the owner's token
                    is used for the office of the data directory, and none elsewhere
  BULLPEN_JSON      1 prints JSON everywhere (--json)
  NO_COLOR          anything: no colours

What ` + "`bullpen exec`" + ` runs finds these, and ` + "`bullpen emit`, `ask` and `exec`" + ` use them:

  ` + envURL + `      address of the office
  ` + envToken + `    a copy of ` + tokenVariable + `, where it is set
  ` + envAgent + `    on whose behalf it reports; not set where a token may say it
  ` + envRun + `      the run that it belongs to
  ` + envSession + `  the session that it belongs to`

// withoutJSON are the commands whose output is not theirs to choose: it belongs to
// a person, to another program, or has a format already.
var withoutJSON = []string{"serve", "tui", "exec", "channel", "config example", "completion", "man", "help"}

var jsonHelp = `With --json, or BULLPEN_JSON=1, a command prints one JSON value on the output. tail
and export print one a line, as it comes. Keys are only ever added.

What went wrong is then JSON too, on the error output: {"error":"…","exit_code":5},
with the "code" of the office where it refused, such as CONFLICT; what is worth knowing
meanwhile is {"note":"…"}. The exit codes are the same (see ` + "`bullpen help exit-codes`" + `).

These have no --json, because their output is for a person, is another program's, or
has a format of its own: ` + strings.Join(withoutJSON, ", ") + `.`

// helpTopics are pages of `bullpen help` that are no commands.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitHelp()},
		{Use: "json", Short: "What --json prints", Long: jsonHelp},
		{Use: "environment", Short: "The variables that are read and set", Long: environmentHelp},
	}
}
