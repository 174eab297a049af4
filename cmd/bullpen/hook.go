package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	_ "github.com/bullpen-office/bullpen/cmd/bullpen/hookfirst" // takes most hooks before main
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/trust"
)

const hookHelp = `Report one Claude Code hook event to the office. Claude Code runs this command; you
do not need to. It reads the event from standard input and always exits with 0.

An office that does not answer within 150 ms is skipped for 10 seconds; until it
answers again, events are kept on disk and delivered later. BULLPEN_PATIENCE or
--patience changes the 150 ms, BULLPEN_DATA_DIR or --data the data directory.`

func newHookCommand() *cobra.Command {
	claude := &cobra.Command{
		Use: "claude", Short: "Report one Claude Code hook event", Long: hookHelp,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	claude.Run = func(*cobra.Command, []string) {
		defer func() { _ = recover() }()                // a broken hook is our trouble, never the agent's
		if c, ok := hook.FromProcess(os.Args[1:]); ok { // cobra's words would be fewer: it drops unknown flags
			hook.Run(c, postHook, os.Stdin, os.Stdout)
		}
	}
	c := &cobra.Command{Use: "hook", Short: "Report to the office from an agent's hook", Hidden: true, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(claude)
	return c
}

// postHook posts with net/http, to an office that hook.Socket cannot reach.
func postHook(c hook.Config, base string, body []byte) (answer []byte, delivered, late bool) {
	ctx, cancel := context.WithTimeout(context.Background(), hook.AnswerWait+hook.Silence) // the office gives up first
	defer cancel()
	silent := time.AfterFunc(c.Wait(), cancel)
	defer silent.Stop()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			silent.Reset(max(hook.Silence, c.Wait()))
			return nil
		},
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+hook.Path, bytes.NewReader(body))
	if err != nil {
		return nil, false, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(hook.HeartbeatHeader, "1")
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	secure, _ := trust.Config(c.CACert) // without the file the office is not trusted, and the hook waits on disk
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
