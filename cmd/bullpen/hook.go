package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake/hooks"
	"github.com/bullpen-office/bullpen/trust"
)

const hookHelp = `Tell the office what Claude Code does. Claude Code runs this as a hook; people
have no use for it. It reads the hook from its input, is done within moments, and
ends with 0 and without a word whatever happens: an agent must not notice it.
While no office is open the hook is kept on disk, and told later.`

// permissionRequest is the one hook that is answered by a person.
const permissionRequest = "PermissionRequest"

// newHookCommand never ends with 2: Claude Code would take that as a no.
func newHookCommand() *cobra.Command {
	s := newSettings()
	var patience time.Duration
	claude := &cobra.Command{
		Use: "claude", Short: "Take a hook of Claude Code from the input", Long: hookHelp,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	s.registerData(claude.Flags())
	claude.Flags().DurationVar(&patience, "patience", contracts.HookPatience, "how long it waits, at most, for an office that is slow; then the hook is kept on disk")
	claude.SetFlagErrorFunc(func(*cobra.Command, error) error { return nil })
	claude.RunE = func(cmd *cobra.Command, _ []string) error {
		defer func() { _ = recover() }() // a broken hook is our trouble, never the agent's
		_ = s.loadEnvironment()          // what is no duration leaves the usual one
		takeHook(cmd.Context(), s, patience, cmd.InOrStdin(), cmd.OutOrStdout())
		return nil
	}
	c := &cobra.Command{Use: "hook", Short: "What agents run to report; see `bullpen hooks`", Hidden: true, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(claude)
	return c
}

// takeHook brings one hook to the office or to the spool.
func takeHook(ctx context.Context, s *settings, patience time.Duration, in io.Reader, out io.Writer) {
	at := time.Now()
	body, err := io.ReadAll(io.LimitReader(in, contracts.LimitHookBody+1))
	if err != nil || s.defaultData() != nil {
		return
	}
	if len(body) > contracts.LimitHookBody { // the transcript has it too, and is read without this limit
		_ = hooks.NewSpool(s.data).Drop(1)
		return
	}
	if pid, started, ok := hooks.Agent(os.Getppid()); ok {
		body = hooks.Stamp(body, pid, started)
	}
	event := hooks.EventName(body)
	answer, delivered := postHook(ctx, s, patience, event, body)
	switch {
	case delivered && event == permissionRequest && jsontext.Value(answer).IsValid():
		_, _ = out.Write(answer)
	case !delivered && event != permissionRequest: // nobody can answer it later
		_ = hooks.NewSpool(s.data).Put(at, body)
	}
}

// postHook sends a hook. delivered is false when it should be told again.
func postHook(ctx context.Context, s *settings, patience time.Duration, event string, body []byte) (answer []byte, delivered bool) {
	base, transport, ok := hookTarget(s)
	if !ok {
		return nil, false
	}
	transport.DialContext = (&net.Dialer{Timeout: max(contracts.HookConnect, patience/8)}).DialContext
	if event == permissionRequest {
		patience = contracts.PermissionWait
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+hooks.Path, bytes.NewReader(body))
	if err != nil {
		return nil, false
	}
	req.Header.Set("Content-Type", "application/json")
	if token := os.Getenv(hooks.TokenVariable); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, contracts.LimitBody))
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= http.StatusInternalServerError:
		return nil, false
	case err != nil || resp.StatusCode >= http.StatusMultipleChoices: // refused: it would be again
		return nil, true
	}
	return answer, true
}

// hookTarget is the address in BULLPEN_URL, or the server of the data directory.
func hookTarget(s *settings) (base string, transport *http.Transport, ok bool) {
	secure, _ := trust.Config(s.cacert) // without the file the office is not trusted, and the hook waits on disk
	transport = &http.Transport{TLSClientConfig: secure}
	base = os.Getenv("BULLPEN_URL")
	if base == "" {
		in, err := readInstance(s.data)
		if err != nil {
			return "", nil, false
		}
		if base = in.Local; in.Cert != "" {
			transport = newTransport(trust.Pinned(in.Cert))
		}
	}
	return strings.TrimRight(base, "/"), transport, true
}
