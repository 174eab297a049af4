package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `Run a living office for AI agents.

Without a command, bullpen starts the office and opens it in the browser.

Exit codes: 0 success, 1 failure, 2 invalid flags or configuration, 3 no running office.
See ` + "`bullpen help exit-codes`" + ` for all of them.`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "bullpen",
		Short:         "Run a living office for AI agents",
		Long:          rootHelp,
		Example:       "  bullpen\n  bullpen --crew claude --no-open",
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = currentVersion().line()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "rpad .CommandPath .CommandPathPadding", `rpad (print "bullpen help " .Name) 25`, 1))
	settings := newSettings()
	settings.register(root.Flags())
	completeSettings(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error { return serve(cmd, settings, true) }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if words := c.Flags().Args(); len(words) > 0 && c.HasSubCommands() {
			return unknownCommand(c, words[0]) // the flag belongs to a misspelled command
		}
		return flagError(c, err)
	})
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands() {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(newHookCommand(), newChannelCommand(), newManCommand())
	root.AddCommand(helpTopics()...)
	root.SetHelpCommandGroupID(groupProgram)
	root.SetCompletionCommandGroupID(groupProgram)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Short, help.Long, help.Run, help.RunE = "Show help for a command or topic", "", nil, runHelp
	}
	for _, c := range root.Commands() {
		if c.HasSubCommands() && c.RunE == nil { // added by cobra itself
			c.Args, c.RunE = noArgs, runGroup
		}
	}
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	finishHelp(root)
	addExamples(root)
	addCompletion(root)
	return root
}

// helpWidth is the maximum line length of the help of a command.
const helpWidth = 100

// finishHelp describes the flag --help of all commands, and breaks the long lines in their help at
// spaces. Help topics keep their lines.
func finishHelp(c *cobra.Command) {
	for _, below := range c.Commands() {
		finishHelp(below)
	}
	c.InitDefaultHelpFlag()
	c.Flags().Lookup("help").Usage = "show help"
	if !c.Runnable() {
		return
	}
	var lines []string
	for line := range strings.SplitSeq(c.Long, "\n") {
		for len(line) > helpWidth && strings.Contains(line[:helpWidth+1], " ") {
			end := strings.LastIndex(line[:helpWidth+1], " ")
			lines, line = append(lines, line[:end]), line[end+1:]
		}
		lines = append(lines, line)
	}
	c.Long = strings.Join(lines, "\n")
}

const groupProgram = "About this program"

// commandGroups lists the commands in the order of the help page.
var commandGroups = []struct {
	title    string
	commands func() []*cobra.Command
}{
	{"Use the office", func() []*cobra.Command {
		return []*cobra.Command{newServeCommand(), newOpenCommand(), newTUICommand(), newStatusCommand(), newTailCommand(), newAgentCommand(), newProjectCommand(), newTaskCommand(), newArtifactCommand(), newChatCommand(), newCostCommand()}
	}},
	{"Direct the work", func() []*cobra.Command {
		return []*cobra.Command{newRequestCommand(), newDecideCommand(), newApproveCommand(), newChangesCommand()}
	}},
	{"Report from scripts", func() []*cobra.Command {
		return []*cobra.Command{newEmitCommand(), newExecCommand(), newAskCommand()}
	}},
	{"Connect agents", func() []*cobra.Command {
		return []*cobra.Command{newConnectCommand(), newHooksCommand(), newJoinCommand(), newMCPCommand(), newTokenCommand()}
	}},
	{"Maintain the office", func() []*cobra.Command {
		return []*cobra.Command{newDoctorCommand(), newConfigCommand(), newPolicyCommand(), newRepoCommand(), newCheckCommand(), newReceiptCommand(), newSceneCommand(), newExportCommand(), newImportCommand(), newVerifyCommand(), newBackupCommand(), newSalvageCommand(), newEpochCommand(), newRedactCommand()}
	}},
	{groupProgram, func() []*cobra.Command { return []*cobra.Command{newVersionCommand()} }},
}

// groupCommand returns a command that only has subcommands.
func groupCommand(use, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: noArgs, RunE: runGroup}
	c.AddCommand(below...)
	return c
}

// runGroup prints the help of a command that only has subcommands.
func runGroup(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// runHelp prints the help of the command named in args.
func runHelp(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = noArgs(cmd, rest)
	}
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	return cmd.Help()
}
