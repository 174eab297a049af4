package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/agents/hook"
	_ "github.com/bullpen-office/bullpen/cmd/bullpen/hookfirst" // handles most hooks before main
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/trust"
)

// tokenVariable is the environment variable that holds the token for the office.
const tokenVariable = hook.TokenVariable

const hookHelp = `Report one %s hook event to the office. %[1]s runs this command; you
do not need to. It reads the event from standard input and always exits with status 0.

An office that does not answer within 150 ms is skipped for 10 seconds; until it
answers again, events are kept on disk and delivered later. BULLPEN_HOOK_TIMEOUT or
--timeout changes this timeout; BULLPEN_DATA_DIR or --data sets the data directory.`

func newHookCommand() *cobra.Command {
	c := &cobra.Command{Use: "hook", Short: "Report to the office from an agent's hook", Hidden: true, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	for _, a := range agents.WithHooks(all.Adapters) {
		c.AddCommand(&cobra.Command{
			Use: a.Source.Source, Short: "Report one " + a.Label + " hook event", Long: fmt.Sprintf(hookHelp, a.Label),
			Example:            "  bullpen hook " + a.Source.Source + " < event.json",
			FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
			Run: func(*cobra.Command, []string) {
				defer func() { _ = recover() }()                                 // a bug here must never disrupt the agent
				if c, ok := hook.FromProcess(a.Source.Source, os.Args[1:]); ok { // cobra drops unknown flags
					hook.Run(c, postHook, os.Stdin, os.Stdout)
				}
			},
		})
	}
	return c
}

// postHook posts a hook with net/http, for addresses that hook.Socket does not support.
func postHook(c hook.Config, base string, body []byte) (answer []byte, delivered, late bool) {
	ctx, cancel := context.WithTimeout(context.Background(), hook.AnswerWait+hook.Silence) // the office times out first
	defer cancel()
	silent := time.AfterFunc(c.Wait(), cancel)
	defer silent.Stop()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			silent.Reset(max(hook.Silence, c.Wait()))
			return nil
		},
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+c.Path(), bytes.NewReader(body))
	if err != nil {
		return nil, false, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(hook.HeartbeatHeader, "1")
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	secure, _ := trust.Config(c.CACert) // if it cannot be read, the office is not trusted and the hook is stored on disk
	if in, err := instance.Read(c.Data); err == nil && in.Cert != "" && in.Local == base {
		secure = trust.Pinned(in.Cert)
	}
	transport := &http.Transport{TLSClientConfig: secure}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, false, ctx.Err() != nil
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, hook.LimitBody))
	return hook.Verdict(resp.StatusCode, answer, err)
}
