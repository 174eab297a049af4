package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// verb is what a command that talks to an office works with.
type verb struct {
	*client
	settings *settings
	url      string
	asJSON   bool
	out, err io.Writer
}

// verbRun is what a verb does, once the office is found.
type verbRun = func(ctx context.Context, v *verb, args []string) error

// newVerb makes a command of run: it finds the office first. Its own flags are
// added by the caller.
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
	f.StringVar(url, "url", "", "address of the office (default: the office of the data directory); a token in "+tokenVariable+" is used instead of the owner's, which is never sent to another address")
}

// find looks the office up. After a restart it may be at another port.
func (v *verb) find() (*client, error) { return newClient(v.settings, v.url) }

// interruptible ends with Ctrl-C; a second one ends the process at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// note says something beside the output, as JSON where the errors are.
func (v *verb) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if v.asJSON {
		_ = printJSON(v.err, map[string]string{"note": text})
		return
	}
	fmt.Fprintln(v.err, "bullpen: "+text)
}

// print writes the value as JSON, or the line for people.
func (v *verb) print(value any, line string) error {
	if v.asJSON {
		return printJSON(v.out, value)
	}
	_, err := io.WriteString(v.out, line+"\n")
	return err
}
