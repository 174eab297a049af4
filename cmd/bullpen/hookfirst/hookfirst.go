// Package hookfirst handles `bullpen hook` before the rest of the program is initialized, because
// initializing the office's schemas, Markdown and metrics would add several milliseconds to every
// tool call. Go initializes a package as soon as its imports are ready, in the order of import
// paths. This package comes early because it imports very little. Hooks whose address uses TLS or a
// host name are left to main.
package hookfirst

import (
	"os"
	"slices"

	"github.com/bullpen-office/bullpen/agents/hook"
)

func init() {
	args := os.Args[1:]
	if len(args) < 2 || args[0] != "hook" || !hook.ValidName(args[1]) || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return
	}
	c, ok := hook.FromProcess(args[1], args[2:])
	if !ok {
		os.Exit(0)
	}
	post, ok := hook.Socket(c.Office())
	if !ok && c.Office() != "" {
		return
	}
	run(c, post)
	os.Exit(0)
}

// run never fails, because agents show a hook's failure and treat exit code 2 as a denial.
func run(c hook.Config, post hook.Post) {
	defer func() { _ = recover() }()
	hook.Run(c, post, os.Stdin, os.Stdout)
}
