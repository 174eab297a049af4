package main

import (
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/intake/hooks"
)

const environmentHelp = `Every flag has a twin in the environment: --public-url is BULLPEN_PUBLIC_URL. A flag
wins over the environment, and that over the configuration file. Flags that belong
to one call, such as the filters of ` + "`bullpen tail`" + `, have none.

  BULLPEN_DATA_DIR  where the office keeps its things (--data)
  BULLPEN_URL       address of the office (--url)
  BULLPEN_TOKEN     the credential for that address, and for whoever reports
  BULLPEN_JSON      1 prints JSON everywhere (--json)
  NO_COLOR          anything: no colours

What ` + "`bullpen exec`" + ` runs finds these, and ` + "`bullpen emit`, `ask` and `exec`" + ` use them:

  ` + envURL + `      address of the office
  ` + envToken + `    a copy of ` + hooks.TokenVariable + `, where it is set
  ` + envAgent + `    on whose behalf it reports
  ` + envRun + `      the run that it belongs to
  ` + envSession + `  the session that it belongs to`

// helpTopics are pages of `bullpen help` that are no commands.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitHelp()},
		{Use: "environment", Short: "The variables that are read and set", Long: environmentHelp},
	}
}
