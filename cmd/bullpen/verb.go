package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/intake/hooks"
)

// verb is what a command that talks to an office works with.
type verb struct {
	*client
	settings *settings
	url      string
	asJSON   bool
	reporter bool // it speaks for an agent
	out, err io.Writer
}

// verbRun is what a verb does, once the office is found.
type verbRun = func(ctx context.Context, v *verb, args []string) error

// newVerb makes a command of run: it finds the office first. Its own flags are
// added by the caller.
func newVerb(c *cobra.Command, run verbRun) *cobra.Command {
	return (&verb{settings: newSettings()}).attach(c, run)
}

// newReport is newVerb for what is said on behalf of an agent.
func newReport(c *cobra.Command, run verbRun) *cobra.Command {
	return (&verb{settings: newSettings(), reporter: true}).attach(c, run)
}

func (v *verb) attach(c *cobra.Command, run verbRun) *cobra.Command {
	v.register(c.Flags())
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		v.out, v.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
		if err := v.settings.load(); err != nil {
			return err
		}
		if v.client, err = v.find(); err != nil {
			return err
		}
		return run(cmd.Context(), v, args)
	}
	return c
}

func (v *verb) register(f *pflag.FlagSet) {
	v.settings.registerData(f)
	f.StringVar(&v.url, "url", "", "address of the office (default: that of the data directory); its token comes from "+hooks.TokenVariable)
	f.BoolVar(&v.asJSON, "json", false, "machine-readable output")
}

// find looks the office up. After a restart it may be at another port.
func (v *verb) find() (*client, error) {
	c, err := newClient(v.settings, v.url)
	if err == nil && v.reporter {
		c.asReporter()
	}
	return c, err
}

// asReporter uses the credential that the environment gives to those who report,
// so that a token bound to an agent stays bound to it.
func (c *client) asReporter() {
	if token := strings.TrimSpace(os.Getenv(hooks.TokenVariable)); token != "" {
		c.token = token
	}
}

// interruptible ends with Ctrl-C; a second one ends the process at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// print writes the value as JSON, or the line for people.
func (v *verb) print(value any, line string) error {
	if v.asJSON {
		return printJSON(v.out, value)
	}
	_, err := io.WriteString(v.out, line+"\n")
	return err
}
