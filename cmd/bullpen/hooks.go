package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/agents/claude/install"
	"github.com/bullpen-office/bullpen/connect"
)

const hooksHelp = `Connect Claude Code to the office.

install puts one hook for each event into Claude Code's settings
(~/.claude/settings.json, or that of CLAUDE_CONFIG_DIR) and changes nothing else
in the file; the original is kept next to it as settings.json.bullpen-backup.
uninstall removes the hooks. Both can be run any number of times.

Hooks run the command 'bullpen hook claude', which never slows or fails a session:
while the office is closed or does not answer, hooks wait on disk. --transport http
saves a process per hook, but Claude Code then prints an error for every hook while
no office is open, and waits for a frozen one.`

// hookFlags are what the commands about hooks have in common.
type hookFlags struct {
	settings           *settings
	project, claude    string
	transport, address string
	token, asJSON      bool
}

func newHooksCommand() *cobra.Command {
	c := groupCommand("hooks", "Connect Claude Code to the office", newHooksInstall(), newHooksUninstall(), newHooksStatus())
	c.Long = hooksHelp
	return c
}

// hooksCommand is a command on the settings of one agent's program.
func hooksCommand(use, short string, do func(*cobra.Command, *hookFlags) error) (*cobra.Command, *hookFlags) {
	f := &hookFlags{settings: newSettings()}
	c := &cobra.Command{Use: use + " claude", Short: short, Long: hooksHelp, ValidArgsFunction: completeWords("claude")}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] != "claude" {
			return usageError("say whose hooks: `%s`; other agents have none", cmd.CommandPath()+" claude")
		}
		return nil
	}
	f.settings.registerData(c.Flags())
	c.Flags().StringVar(&f.project, "project", "", "only for the project in this directory: its .claude/settings.local.json")
	c.Flags().BoolVar(&f.asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.settings.load(); err != nil {
			return err
		}
		return do(cmd, f)
	}
	return c, f
}

func (f *hookFlags) registerClaude(flags *pflag.FlagSet) {
	flags.StringVar(&f.claude, "claude", "", "Claude Code's program, to ask for its version (default: the one that is found)")
}

// settingsPath is where Claude Code reads what it is told.
func (f *hookFlags) settingsPath() (string, error) {
	if f.project != "" {
		dir, err := filepath.Abs(f.project)
		return filepath.Join(dir, ".claude", "settings.local.json"), err
	}
	path := connect.SettingsPath(os.Getenv, homeDir())
	if path == "" {
		return "", usageError("there is no home directory with Claude Code's settings: set CLAUDE_CONFIG_DIR, or give --project DIR")
	}
	return path, nil
}

// homeDir is the user's home directory; "" when there is none.
func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

func newHooksInstall() *cobra.Command {
	c, f := hooksCommand("install", "Put hooks into Claude Code's settings", installHooks)
	f.registerClaude(c.Flags())
	c.Flags().StringVar(&f.transport, "transport", string(install.TransportCommand), "how hooks reach the office: command or http")
	completeValues(c, "transport", string(install.TransportCommand), string(install.TransportHTTP))
	c.Flags().StringVar(&f.address, "url", "", "address of the office (default: that of the running one, or http://"+defaultAddr+")")
	c.Flags().BoolVar(&f.token, "token", false, "send the token in "+hook.TokenVariable+", for an office that requires one (default: ask the running office)")
	return c
}

func installHooks(cmd *cobra.Command, f *hookFlags) error {
	plan, err := f.plan(cmd.Context())
	if err != nil {
		return err
	}
	path, err := f.settingsPath()
	if err != nil {
		return err
	}
	done, err := install.InstallFile(path, plan.Entries())
	if err != nil {
		return err
	}
	if f.asJSON {
		return printJSON(cmd.OutOrStdout(), done)
	}
	sayInstalled(cmd.OutOrStdout(), plan, done)
	return nil
}

func newHooksUninstall() *cobra.Command {
	c, _ := hooksCommand("uninstall", "Take the hooks out of Claude Code's settings", func(cmd *cobra.Command, f *hookFlags) error {
		path, err := f.settingsPath()
		if err != nil {
			return err
		}
		done, err := install.UninstallFile(path)
		if err != nil {
			return err
		}
		if f.asJSON {
			return printJSON(cmd.OutOrStdout(), done)
		}
		sayUninstalled(cmd.OutOrStdout(), done)
		return nil
	})
	return c
}

func sayUninstalled(w io.Writer, done install.Change) {
	switch {
	case !done.Changed:
		fmt.Fprintf(w, "there are no hooks of ours in %s\n", done.Path)
	case done.Removed:
		fmt.Fprintf(w, "removed %s: it held nothing but our hooks\n", done.Path)
	default:
		fmt.Fprintf(w, "took our hooks out of %s\n", done.Path)
	}
	if done.Changed && done.Backup != "" {
		fmt.Fprintf(w, "others changed it since we came; the file as it was before is %s\n", done.Backup)
	}
}

func sayInstalled(w io.Writer, p install.Plan, done install.Change) {
	byHTTP, target := 0, ""
	for _, e := range done.Entries {
		if e.URL != "" {
			byHTTP, target = byHTTP+1, e.URL
		}
	}
	verb := "installed"
	if !done.Changed {
		verb = "already there:"
	}
	fmt.Fprintf(w, "%s %d hooks in %s\n", verb, len(done.Entries), done.Path)
	fmt.Fprintf(w, "  %d by command  %s\n", len(done.Entries)-byHTTP, p.Command)
	if byHTTP > 0 {
		fmt.Fprintf(w, "  %d by HTTP     %s\n", byHTTP, target)
	}
	if done.Backup != "" {
		fmt.Fprintf(w, "the file as it was before is %s\n", done.Backup)
	}
	if !p.Version.Known() {
		fmt.Fprintln(w, "Claude Code was not found, so only what its oldest versions know is installed; name its program with --claude to get all")
	}
	if p.Token {
		fmt.Fprintf(w, "the office requires a token: create one with `bullpen token create --role agent`, and start Claude Code with it in %s\n", hook.TokenVariable)
	}
	fmt.Fprintln(w, "sessions that start from now on come to the office; `bullpen hooks status claude` says whether they can")
}
