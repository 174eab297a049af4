package main

import (
	"github.com/spf13/cobra"
)

const rootHelp = `Bullpen is a living office for AI agents.

Without a command it starts the office and opens it in the browser.

Exit codes: 0 done, 1 failed, 2 wrong flags or configuration,
3 no server is running, 4 a check found problems.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "bullpen",
		Short:         "A living office for AI agents",
		Long:          rootHelp,
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	settings := newSettings()
	settings.register(root.Flags())
	root.RunE = func(cmd *cobra.Command, _ []string) error { return serve(cmd, settings, true) }
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError("%w; see `bullpen --help`", err)
	})
	root.AddCommand(
		newServeCommand(),
		newStatusCommand(),
		newAgentCommand(),
		newOpenCommand(),
		newDoctorCommand(),
		newCostCommand(),
		newTokenCommand(),
		newConfigCommand(),
		newSceneCommand(),
		newHooksCommand(),
		newHookCommand(),
		newChannelCommand(),
		newVersionCommand(),
	)
	return root
}

// noArgs and exactArgs give usage errors their exit code.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("unknown argument %q for `%s`; see `%s --help`", args[0], cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

func exactArgs(what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(what) {
			return usageError("`%s` takes %d argument(s) %v, not %d", cmd.CommandPath(), len(what), what, len(args))
		}
		return nil
	}
}

// groupCommand is a command that only has others below it.
func groupCommand(use, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError("unknown command %q for `%s`; see `%s --help`", args[0], cmd.CommandPath(), cmd.CommandPath())
		}
		return cmd.Help()
	}}
	c.AddCommand(below...)
	return c
}
