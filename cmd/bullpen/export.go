package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
)

const exportHelp = `Export the ledger as JSON Lines: a header, the records in order with the content
that they refer to, and a last line with counts and the SHA-256 of all lines before it.
A running office writes the export itself and keeps working; otherwise its ledger file is
read. With --nats the shared ledger of several nodes is read from the cluster, whether or not a
node is running; such an export is not recorded in the audit log. With --data, the variable
BULLPEN_NATS is ignored.

The export is verified while it is written. ` + "`bullpen import`" + ` turns it into a ledger; an
export with --after or --kinds is partial and cannot be imported. If the ledger lost
records, the rest is exported and the exit code is 4. An export contains everything that
agents and people said: keep it as private as the ledger.`

const exportExample = `  bullpen export --output office.jsonl
  bullpen export --nats nats://a:4222,nats://b:4222 --output office.jsonl
  bullpen export --kinds event | jq -r 'select(.kind) | .body.name' | sort | uniq -c`

// exportOptions holds the flags of `bullpen export`.
type exportOptions struct {
	after     uint64
	kinds     []string
	output    string
	noContent bool
}

// exported is the JSON output of `bullpen export --output FILE`.
type exported struct {
	Output string               `json:"output"`
	Header ledger.ArchiveHeader `json:"header"`
	End    ledger.ArchiveEnd    `json:"end"`
}

func newExportCommand() *cobra.Command {
	var o exportOptions
	v := &verb{settings: newSettings()}
	c := &cobra.Command{Use: "export", Short: "Export the ledger as JSON Lines", Long: exportHelp, Example: exportExample, Args: noArgs, Annotations: map[string]string{asItIs: "true"}}
	f := c.Flags()
	v.register(f)
	v.settings.nats.registerLedger(f, "export the ledger in this NATS JetStream cluster")
	f.Uint64Var(&o.after, "after", 0, "only records after this number")
	f.StringSliceVar(&o.kinds, "kinds", nil, "only these kinds: event, agent_goal, chat, hud, ui, receipt, proposal, run, owner")
	f.StringVarP(&o.output, "output", "o", "", "file to write; it must not exist (default: standard output)")
	f.BoolVar(&o.noContent, "no-content", false, "omit deliverables and large results; records still refer to them")
	onlyTyped(f, "after", "kinds", "output", "no-content")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		v.out, v.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
		if err := v.settings.load(); err != nil {
			return err
		}
		for _, k := range o.kinds {
			if !contracts.KnownKind(contracts.Kind(k)) {
				return usageError("unknown kind %q in --kinds: use event, agent_goal, chat, hud, ui, receipt, proposal, run or owner", k)
			}
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		err := o.run(ctx, v)
		if ctx.Err() != nil {
			return &exitError{code: exitForced, err: errors.New("interrupted; the export is incomplete")}
		}
		return err
	}
	return c
}

// run writes the export to standard output, or to a temporary file that is renamed when complete.
func (o *exportOptions) run(ctx context.Context, v *verb) error {
	if o.output == "" {
		_, end, err := o.write(ctx, v, v.out)
		return cmp.Or(err, lostRecords(end))
	}
	if _, err := os.Lstat(o.output); err == nil {
		return usageError("%s already exists; choose another name", o.output)
	}
	file, err := atomicfile.Create(o.output)
	if err != nil {
		return err
	}
	defer file.Abort()
	header, end, err := o.write(ctx, v, file)
	if err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	line := fmt.Sprintf("wrote %s: %s and %s of ledger %s", o.output, recordWords(end.Records), pieceWords(end.Contents), header.LedgerID)
	return cmp.Or(v.print(exported{o.output, header, end}, line), lostRecords(end))
}

// lostRecords returns an error if the ledger lost records, even though the export contains
// everything that is left.
func lostRecords(end ledger.ArchiveEnd) error {
	if end.Lost == "" {
		return nil
	}
	return &exitError{code: exitProblems, err: fmt.Errorf("the export contains everything that is left, but the ledger has lost records: %s; restore a backup, or accept the loss with `bullpen new-epoch`", end.Lost)}
}

// write copies the export to w and verifies it.
func (o *exportOptions) write(ctx context.Context, v *verb, w io.Writer) (ledger.ArchiveHeader, ledger.ArchiveEnd, error) {
	source, err := o.open(ctx, v)
	if err != nil {
		return ledger.ArchiveHeader{}, ledger.ArchiveEnd{}, err
	}
	defer source.Close()
	out := bufio.NewWriterSize(w, 64<<10)
	a, err := ledger.ReadArchive(io.TeeReader(source, out))
	if err != nil {
		return ledger.ArchiveHeader{}, ledger.ArchiveEnd{}, err
	}
	for err == nil {
		_, err = a.Next()
	}
	if !errors.Is(err, io.EOF) {
		_ = out.Flush()
		return a.Header, a.End, err
	}
	return a.Header, a.End, out.Flush()
}

// open returns an export from the running office, or from the stored ledger if no office is running
// or --nats is given.
func (o *exportOptions) open(ctx context.Context, v *verb) (io.ReadCloser, error) {
	direct := v.settings.sources["nats"] == "flag"
	if direct && v.url != "" {
		return nil, usageError("--url exports through a running office, and --nats exports from the cluster: use only one of them")
	}
	if !direct {
		c, err := newClient(v.settings, v.url)
		var body io.ReadCloser
		if err == nil {
			body, err = o.ask(ctx, c)
		}
		if err == nil || v.url != "" || !hasCode(err, exitNotRunning) {
			return body, err
		}
	}
	l, err := openStored(ctx, v)
	if err != nil {
		return nil, err
	}
	return o.archive(ctx, l), nil
}

func (o *exportOptions) ask(ctx context.Context, c *client) (io.ReadCloser, error) {
	q := url.Values{"after": {strconv.FormatUint(o.after, 10)}, "kinds": {strings.Join(o.kinds, ",")}}
	if o.noContent {
		q.Set("content", "0")
	}
	resp, err := c.office.Open(ctx, "/v1/export?"+q.Encode())
	if err != nil {
		return nil, c.requestFailed(err)
	}
	return resp.Body, nil
}

// openStored opens the ledger in the NATS cluster, or in the data directory if there is no cluster.
func openStored(ctx context.Context, v *verb) (ledger.Ledger, error) {
	if !v.settings.inCluster() {
		return v.openAudited(ctx, "exported the ledger as JSON Lines")
	}
	config, err := v.settings.nats.config(v.settings.sources["nats"], nil)
	if err != nil {
		return nil, err
	}
	config.Existing = true
	l, err := jetstream.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	v.note("this export is not recorded in the audit log; exports through a node (--url) are")
	return l, nil
}

// archive returns an export of a ledger and closes the ledger when the export ends.
func (o *exportOptions) archive(ctx context.Context, l ledger.Ledger) io.ReadCloser {
	options := ledger.ArchiveOptions{After: o.after, Content: !o.noContent}
	for _, k := range slices.Compact(slices.Sorted(slices.Values(o.kinds))) {
		options.Kinds = append(options.Kinds, contracts.Kind(k))
	}
	read, write := io.Pipe()
	go func() {
		_, err := ledger.WriteArchive(ctx, l, write, options)
		write.CloseWithError(errors.Join(err, l.Close()))
	}()
	return read
}
