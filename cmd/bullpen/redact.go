package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/ledger/door"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
)

const redactHelp = `Erase the text of records permanently: in the ledger, in content that no other record uses, and
in everything the office shows. A tombstone with the ids remains, so that the hash chain
can still be verified, and a record shows who erased what, when and why. SEQ is the record
number shown by ` + "`bullpen tail --json`" + ` and in the browser's Events panel.

Ids, tool and model names, and numbers are kept. Existing copies are not changed: backups,
exports, exported traces and agents' transcripts. Other records may repeat the text:
these are listed, and --all erases them too. Shortened or reworded text is not found.

The office may be running or stopped. Erasing takes as long as a backup and needs as much
free space. --dry-run shows what would be erased.`

// redactVerb is a verb with the flags of `bullpen redact`.
type redactVerb struct {
	verb
	request door.RedactBody
	yes     bool
}

func newRedactCommand() *cobra.Command {
	v := &redactVerb{verb: verb{settings: newSettings()}}
	c := &cobra.Command{Use: "redact SEQ...", Short: "Erase the text of records", Long: redactHelp, Args: betweenArgs(1, contracts.LimitRedactSeqs, "SEQ")}
	v.register(c.Flags())
	c.Flags().StringVar(&v.request.Reason, "reason", "", "reason for the redaction; it is recorded, so do not quote the erased text")
	c.Flags().BoolVar(&v.request.All, "all", false, "also erase records that repeat the text or use the same content")
	c.Flags().BoolVar(&v.request.DryRun, "dry-run", false, "show what would be erased, without changing anything")
	c.Flags().BoolVar(&v.yes, "yes", false, "do not ask for confirmation")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		v.out, v.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
		if err := v.settings.load(); err != nil {
			return err
		}
		if err := v.read(args); err != nil {
			return err
		}
		if !v.request.DryRun && !v.yes {
			if err := v.confirm(cmd.Context(), cmd.InOrStdin()); err != nil {
				return err
			}
		}
		done, err := v.redact(cmd.Context(), v.request)
		if err != nil {
			return err
		}
		if err := v.print(done, redactLines(done)); err != nil {
			return err
		}
		if done.Remains != "" {
			return fmt.Errorf("%s; run the command again later, or restart the office", done.Remains)
		}
		return nil
	}
	return c
}

func (v *redactVerb) read(args []string) error {
	for _, arg := range args {
		seq, err := strconv.ParseUint(arg, 10, 63)
		if err != nil || seq == 0 {
			return usageError("invalid record number %q: `bullpen tail --json` shows record numbers as \"seq\"", arg)
		}
		v.request.Seqs = append(v.request.Seqs, seq)
	}
	if contracts.Blank(v.request.Reason) && !v.request.DryRun {
		return usageError("missing --reason: it is recorded with the redaction")
	}
	return nil
}

// confirm shows what would be erased and asks for confirmation. It fails if the input is not a
// terminal, or if the person declines.
func (v *redactVerb) confirm(ctx context.Context, in io.Reader) error {
	if !isTerminal(in) {
		return usageError("nothing was erased: confirmation needs a terminal; use --yes, or --dry-run to see what would be erased")
	}
	request := v.request
	request.DryRun = true
	would, err := v.redact(ctx, request)
	if err != nil {
		return err
	}
	fmt.Fprintf(v.err, "%s\nThis cannot be undone. Erase? [y/N] ", redactLines(would))
	answer, _ := bufio.NewReader(in).ReadString('\n')
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return errors.New("nothing was erased")
	}
	return nil
}

// redact erases the records through the running office, or in the ledger file if no office is
// running.
func (v *redactVerb) redact(ctx context.Context, request door.RedactBody) (done office.Redactions, err error) {
	c, err := newClient(v.settings, v.url)
	if err == nil {
		err = c.with(0, -1).send(ctx, http.MethodPost, "/v1/redact", request, &done) // a large ledger takes a while
		if err == nil || v.url != "" || !hasCode(err, exitNotRunning) {
			return done, err
		}
	} else if v.url != "" || !hasCode(err, exitNotRunning) {
		return done, err
	}
	l, err := openLedger(ctx, v.settings, sqlite.Config{ReadOnly: request.DryRun})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	q := office.RedactRequest{Seqs: request.Seqs, All: request.All, By: gate.OwnerID, Via: viaDataDir(), Reason: hud.RedactKeys(request.Reason), DryRun: request.DryRun}
	return office.RedactStopped(ctx, l, time.Now().UnixMilli(), q)
}

func redactLines(done office.Redactions) string {
	var lines []string
	var shared, repeated []uint64
	for _, r := range done.Records {
		switch {
		case r.Already:
			lines = append(lines, fmt.Sprintf("record %d (%s): already redacted", r.Seq, r.Kind))
		case done.DryRun:
			lines = append(lines, fmt.Sprintf("record %d (%s): would erase its text%s", r.Seq, r.Kind, alsoContent(r.Contents)))
		default:
			lines = append(lines, fmt.Sprintf("record %d (%s): erased its text%s; details in record %d", r.Seq, r.Kind, alsoContent(r.Contents), r.Recorded))
		}
		shared, repeated = append(shared, r.Shared...), append(repeated, r.Repeated...)
	}
	if len(shared) > 0 {
		lines = append(lines, "content kept because other records use it: "+seqList(shared)+" (erase them with --all)")
	}
	if len(repeated) > 0 {
		lines = append(lines, "records with the same text: "+seqList(repeated)+" (erase them with --all)")
	}
	return strings.Join(lines, "\n")
}

func alsoContent(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + pieceWords(int64(n))
}

func seqList(seqs []uint64) string {
	slices.Sort(seqs)
	var b strings.Builder
	for i, seq := range slices.Compact(seqs) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatUint(seq, 10))
	}
	return b.String()
}
