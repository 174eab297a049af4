package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/all"
	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/outpost"
	"github.com/bullpen-office/bullpen/trust"
)

const joinHelp = `Connect the agents on this machine to an office that runs elsewhere. Their
sessions appear there like sessions on the office's own machine, and permission
requests are answered there. Install hooks as for an office on this machine:
bullpen hooks install.

On the office's machine, create a token with the outpost's name, and copy it to a
file on this machine that only you can read:

  bullpen token create --role outpost --name laptop

While the office cannot be reached, reports are stored in the data directory and
sent later; permission requests are answered in the terminal.`

// joinSettings are the settings of `bullpen join`.
type joinSettings struct {
	*settings
	url       string
	tokenFile string
}

func newJoinCommand() *cobra.Command {
	s := &joinSettings{settings: newSettings()}
	c := &cobra.Command{Use: "join URL", Short: "Connect the agents on this machine to an office elsewhere", Long: joinHelp, Args: exactArgs("URL")}
	f := c.Flags()
	s.flags = f
	f.StringVar(&s.data, "data", "", "data directory (default ~/.bullpen)")
	f.StringVar(&s.config, "config", "", "configuration file (default <data>/"+configName+" if it exists)")
	f.StringVar(&s.cacert, "cacert", "", "PEM file with the CA certificate that signed the office's TLS certificate")
	f.StringVar(&s.tokenFile, "token-file", "", "file with a token that has the outpost role (default: the token in "+tokenVariable+")")
	f.BoolVar(&s.insecurePlaintext, "insecure-plaintext", false, "send the token without TLS to an office on another machine")
	registerVendors(f)
	f.BoolVar(&s.keepThinking, "keep-thinking", false, "store agents' thinking text, not only the fact that they are thinking")
	f.StringVar(&s.logLevel, "log-level", "info", "log level: debug, info, warn or error")
	f.StringVar(&s.logFormat, "log-format", "text", "log format: text or json")
	onlyTyped(f, "token-file")
	completeSettings(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		s.url = strings.TrimRight(args[0], "/")
		return join(cmd, s)
	}
	return c
}

// join runs the outpost until a signal arrives. A second signal ends it immediately.
func join(cmd *cobra.Command, s *joinSettings) error {
	cfg, err := s.outpostConfig(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := notYetRunning(ctx, s.data); err != nil {
		return err
	}
	s.addr = defaultAddr
	ln, err := listen(s.settings)
	if err != nil {
		return err
	}
	defer ln.Close()
	cfg.Addr = ln.Addr()
	to := dial(office.Config{URL: s.url})
	o, err := outpost.New(ctx, cfg)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return notJoined(to.requestFailed(err))
	}
	in, err := newInstance(s.settings, ln.Addr())
	if err == nil {
		err = in.Write(s.data)
	}
	if err != nil {
		return errors.Join(err, o.Shutdown(ctx))
	}
	served := make(chan error, 1)
	go func() { served <- o.Serve(ln) }()
	fmt.Fprintf(cmd.OutOrStdout(), "Bullpen %s\n\n  Office    %s\n  Outpost   %s\n  Hooks     %s (agents on this machine report here)\n  Data      %s\n\nPress Ctrl-C to stop.\n", currentVersion().Version, s.url, o.Name(), in.Local, s.data)
	select {
	case err = <-served:
	case <-ctx.Done():
		stop() // from here on, signals have their default effect
		go forceOnSignal()
	}
	in.Remove(s.data)
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	return errors.Join(notJoined(to.requestFailed(err)), o.Shutdown(deadline))
}

// notJoined adds a hint to the error for a token that the office does not accept.
func notJoined(err error) error {
	var coded *exitError
	if errors.As(err, &coded) && coded.code == exitDenied {
		coded.err = fmt.Errorf("%w; an outpost needs a token from `%s`", coded.err, createToken)
	}
	return err
}

// createToken is the command that creates a token for an outpost.
const createToken = "bullpen token create --role outpost --name NAME"

// outpostConfig loads and checks the settings.
func (s *joinSettings) outpostConfig(logTo io.Writer) (outpost.Config, error) {
	if err := s.load(); err != nil {
		return outpost.Config{}, err
	}
	if err := errors.Join(slices.Concat([]error{checkAddress(s.url), s.checkPlaintext()}, s.checkLog(), s.checkVendors())...); err != nil {
		return outpost.Config{}, usageError("%w", err)
	}
	token, err := s.token()
	if err != nil {
		return outpost.Config{}, err
	}
	secure, err := trust.Config(s.cacert)
	if err != nil {
		return outpost.Config{}, usageError("%w", err)
	}
	options, err := s.vendors()
	if err != nil {
		return outpost.Config{}, err
	}
	return outpost.Config{
		URL: s.url, Token: token, TLS: secure, DataDir: s.data, Adapters: all.Adapters, Options: options,
		KeepThinking: s.keepThinking, Price: s.staff.Estimate, Version: currentVersion().Version, Log: s.logger(logTo),
	}, nil
}

// token returns the outpost's token, from --token-file or the environment. The key token_file in
// the configuration file is ignored, because it names the file with the owner token.
func (s *joinSettings) token() (string, error) {
	if s.sources["token-file"] == "flag" {
		token, err := gate.ReadToken(s.tokenFile, "copy the token into the file again, or create another token on the office's machine with `"+createToken+"`")
		if err != nil {
			err = usageError("%w", err)
		}
		return token, err
	}
	if token, err := givenToken(); token != "" || err != nil {
		return token, err
	}
	return "", usageError("missing --token-file: create a token on the office's machine with `%s`", createToken)
}

// checkPlaintext returns an error if the token would be sent over a network without TLS, unless
// --insecure-plaintext is set.
func (s *joinSettings) checkPlaintext() error {
	u, err := url.Parse(s.url)
	if err != nil || u.Scheme != "http" || s.insecurePlaintext || u.Hostname() == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s does not use TLS, so others could read the token: use https://, or --insecure-plaintext on a network that you trust", s.url)
}

// notYetRunning returns an error if a running office or outpost uses the data directory.
func notYetRunning(ctx context.Context, data string) error {
	in, err := instance.Read(data)
	if err != nil || !intake.ProcessAlive(in.PID, 0) { // if the process is gone, another office may use its address now
		return nil
	}
	c := dial(office.Config{URL: in.Local, Pin: in.Cert, Timeout: time.Second})
	defer c.office.Close()
	if c.office.Get(ctx, gate.HealthPath, nil) != nil {
		return nil
	}
	return fmt.Errorf("%s is already in use by %s (process %d): stop it, or choose another directory with --data", data, in.Local, in.PID)
}
