package main

import (
	"context"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// verb is the state of a command that talks to an office.
type verb struct {
	*client
	settings *settings
	url      string
	asJSON   bool
	out, err io.Writer
}

// verbRun runs a verb once the office has been found.
type verbRun = func(ctx context.Context, v *verb, args []string) error

// newVerb makes c find the office and then call run. The caller adds the verb's flags.
func newVerb(c *cobra.Command, run verbRun) *cobra.Command {
	v := &verb{settings: newSettings()}
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
	registerURL(f, &v.url)
	f.BoolVar(&v.asJSON, "json", false, "machine-readable output")
}

func registerURL(f *pflag.FlagSet, url *string) {
	f.StringVar(url, "url", "", "address of the office (default: the office of the data directory); the owner token is not sent to this address: set "+tokenVariable+" instead")
}

// find returns a client for the office. It looks the office up each time, because after a restart
// the office may listen on another port.
func (v *verb) find() (*client, error) { return newClient(v.settings, v.url) }

// interruptible returns a context that Ctrl-C cancels. A second Ctrl-C kills the process.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// note prints a message to standard error, as JSON if --json is set.
func (v *verb) note(format string, args ...any) {
	printNote(v.err, v.asJSON, format, args...)
}

// print writes value as JSON if --json is set, and line otherwise.
func (v *verb) print(value any, line string) error {
	if v.asJSON {
		return printJSON(v.out, value)
	}
	_, err := io.WriteString(v.out, line+"\n")
	return err
}
