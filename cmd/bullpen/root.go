package main

import (
	"github.com/spf13/cobra"
)

const rootHelp = `Bullpen is a living office for AI agents.

Without a command it starts the office and opens it in the browser.

Exit codes: 0 done, 1 failed, 2 wrong flags or configuration, 3 no office answers;
` + "`bullpen help exit-codes`" + ` has them all.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "bullpen",
		Short:         "A living office for AI agents",
		Long:          rootHelp,
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = currentVersion().line()
	root.SetVersionTemplate("{{.Version}}\n")
	settings := newSettings()
	settings.register(root.Flags())
	completeSettings(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error { return serve(cmd, settings, true) }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if words := c.Flags().Args(); len(words) > 0 && c.HasSubCommands() {
			return unknownCommand(c, words[0]) // the flag is that of a command that was mistyped
		}
		return usageError("%w; see `%s --help`", err, c.CommandPath())
	})
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands() {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(newHookCommand(), newManCommand())
	root.AddCommand(helpTopics()...)
	root.SetHelpCommandGroupID(groupProgram)
	root.SetCompletionCommandGroupID(groupProgram)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.HasSubCommands() && c.RunE == nil { // cobra's own
			c.Args, c.RunE = noArgs, runGroup
		}
	}
	addExamples(root)
	addCompletion(root)
	return root
}

const groupProgram = "This program"

// commandGroups is the order in which people read about the commands.
var commandGroups = []struct {
	title    string
	commands func() []*cobra.Command
}{
	{"The office", func() []*cobra.Command {
		return []*cobra.Command{newServeCommand(), newOpenCommand(), newTUICommand(), newStatusCommand(), newTailCommand(), newAgentCommand(), newProjectCommand(), newTaskCommand(), newArtifactCommand(), newChatCommand(), newCostCommand()}
	}},
	{"Direct the work", func() []*cobra.Command {
		return []*cobra.Command{newRequestCommand(), newDecideCommand(), newApproveCommand(), newChangesCommand()}
	}},
	{"Report from scripts", func() []*cobra.Command {
		return []*cobra.Command{newEmitCommand(), newExecCommand(), newAskCommand()}
	}},
	{"Connect agents", func() []*cobra.Command {
		return []*cobra.Command{newConnectCommand(), newHooksCommand(), newChannelCommand(), newTokenCommand()}
	}},
	{"Look after it", func() []*cobra.Command {
		return []*cobra.Command{newDoctorCommand(), newConfigCommand(), newSceneCommand(), newExportCommand(), newImportCommand(), newVerifyCommand(), newBackupCommand(), newSalvageCommand(), newEpochCommand(), newRedactCommand()}
	}},
	{groupProgram, func() []*cobra.Command { return []*cobra.Command{newVersionCommand()} }},
}

// groupCommand is a command that only has others below it.
func groupCommand(use, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: runGroup}
	c.AddCommand(below...)
	return c
}

// runGroup is what a command does that only has others below it.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return cmd.Help()
}
