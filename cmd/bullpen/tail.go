package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

const tailHelp = `Show the office log: the newest lines, everything --since a time, or everything
--after a record. --follow keeps showing new lines; if the office restarts, tail reconnects
and continues where it stopped.

--audit shows only security events: logins, approvals and other answers by people,
exports, redactions and revoked tokens. Each line shows who acted and how they signed in.

--json prints one message per line (JSON Lines), as sent by the office.`

const tailExample = `  bullpen tail --follow --agent indexer
  bullpen tail --since 2h --kind event,chat
  bullpen tail --audit --since 24h
  bullpen tail --json --after 0 | jq -r .payload.name`

// tailKinds are the words for --kind, with the names of the kinds in JSON, which are accepted too.
// All but the last are shown by default.
var tailKinds = []tailKind{{"event", contracts.KindEvent}, {"chat", contracts.KindChat}, {"activity", contracts.KindHUD}, {"script", contracts.KindUI}, {"walking", contracts.KindGoal}}

type tailKind struct {
	word string
	kind contracts.Kind
}

const kindAll = "all"

func tailKindWords() (words []string) {
	for _, k := range tailKinds {
		words = append(words, k.word)
	}
	return words
}

// tailOptions holds the flags of `bullpen tail`.
type tailOptions struct {
	agents, kinds, projects, studios []string
	since                            string
	from                             int64 // the time of --since in Unix milliseconds; 0 if it is not set
	after                            int64
	lines                            int
	follow, audit                    bool
}

func newTailCommand() *cobra.Command {
	var o tailOptions
	c := &cobra.Command{Use: "tail", Short: "Show the office log", Long: tailHelp, Example: tailExample, Args: noArgs}
	newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		ctx, stop := interruptible(ctx)
		defer stop()
		err := o.run(ctx, v)
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return &exitError{code: exitForced}
		}
		return err
	})
	c.PreRunE = func(*cobra.Command, []string) (err error) {
		if o.after < 0 && c.Flags().Changed("after") {
			return usageError("--after must not be negative")
		}
		o.from, err = o.check(time.Now())
		return err
	}
	f := c.Flags()
	f.StringSliceVar(&o.agents, "agent", nil, "only these agents, by id or name")
	f.StringSliceVar(&o.projects, "project", nil, "only these projects")
	registerStudios(c, &o.studios, "only these studios, by name or id; house selects the office's own room")
	f.StringSliceVar(&o.kinds, "kind", tailKindWords()[:len(tailKinds)-1], "only these kinds: event, chat, activity, script (events from scripts), walking, or all")
	f.StringVar(&o.since, "since", "", "show everything since this time: 10m, 2h, 2026-01-31 or 2026-01-31T15:04:05Z")
	f.Int64Var(&o.after, "after", -1, "show everything after this record number")
	f.Lookup("after").DefValue = "0" // hides -1 from the help
	f.IntVarP(&o.lines, "lines", "n", 20, "number of newest lines to show")
	f.BoolVar(&o.audit, "audit", false, "only security events: logins, approvals, exports, redactions and revocations")
	f.BoolVarP(&o.follow, "follow", "f", false, "keep showing new lines")
	onlyTyped(f, "agent", "project", "kind", "since", "after", "lines", "follow", "audit")
	completeAgents(c, "agent")
	completeProjects(c, "project")
	_ = c.RegisterFlagCompletionFunc("kind", completeWords(append(tailKindWords(), kindAll)...))
	return c
}

func (o *tailOptions) run(ctx context.Context, v *verb) error {
	t, err := v.timeline(ctx, o.kinds)
	if err != nil {
		return err
	}
	if o.after > 0 && uint64(o.after) > t.head {
		return usageError("--after %d is beyond the newest record (%d)", o.after, t.head)
	}
	filter, err := newTailFilter(ctx, v.client, o)
	if err != nil {
		return err
	}
	filter.skipDuplicates = !v.asJSON && slices.Contains(o.kinds, string(contracts.KindHUD)) && slices.Contains(o.kinds, string(contracts.KindEvent))
	p := newTailPrinter(v, filter)
	if err := o.history(ctx, t, o.from, filter, p); err != nil {
		return err
	}
	if p.shown > 0 {
		filter.unknown = nil // the agent or project was in the office earlier
	}
	if !o.follow {
		err := filter.unknownError()
		if err == nil && p.shown == 0 {
			v.note("no %s to show", o.shows())
		}
		return err
	}
	for _, words := range filter.unknown {
		v.note("%s; waiting for it", words)
	}
	return v.follow(ctx, office.Timeline{Kinds: o.kinds, After: t.head, Epoch: t.epoch}, func(e office.Message) error {
		if filter.wants(&e) {
			return p.print(&e)
		}
		return nil
	})
}

// shows returns the plural noun for what the options select, such as "messages".
func (o *tailOptions) shows() string {
	switch {
	case o.audit:
		return "security events"
	case len(o.kinds) == 1 && o.kinds[0] == string(contracts.KindChat):
		return "messages"
	}
	return "lines"
}

// check validates the flags and returns the time of --since, or 0 if it is not set.
func (o *tailOptions) check(now time.Time) (since int64, err error) {
	if o.audit {
		o.kinds = []string{string(contracts.KindEvent)}
	}
	if slices.Contains(o.kinds, kindAll) {
		o.kinds = tailKindWords()
	}
	for i, typed := range o.kinds {
		at := slices.IndexFunc(tailKinds, func(k tailKind) bool { return typed == k.word || typed == string(k.kind) })
		if at < 0 {
			return 0, usageError("unknown --kind %q: use %s or %s", typed, strings.Join(tailKindWords(), ", "), kindAll)
		}
		o.kinds[i] = string(tailKinds[at].kind)
	}
	if o.lines < 0 {
		return 0, usageError("--lines must not be negative")
	}
	if o.since != "" && o.after >= 0 {
		return 0, usageError("--since cannot be combined with --after")
	}
	if o.since == "" {
		return 0, nil
	}
	return parseSince(o.since, now)
}

// parseSince converts an age or a date to a time in Unix milliseconds.
func parseSince(text string, now time.Time) (int64, error) {
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age).UnixMilli(), nil
	}
	for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return at.UnixMilli(), nil
		}
	}
	return 0, usageError("invalid --since %q: use an age such as 10m or 2h, or a date such as 2026-01-31T15:04:05Z", text)
}

// history prints existing records: the newest lines, or everything since a time or after a seq.
func (o *tailOptions) history(ctx context.Context, t *timeline, since int64, filter *tailFilter, p *tailPrinter) (err error) {
	after := uint64(max(o.after, 0))
	switch {
	case o.after < 0 && since == 0:
		list, err := t.last(ctx, o.lines, filter.wants)
		for i := range list {
			err = errors.Join(err, p.print(&list[i]))
		}
		return err
	case since > 0:
		if after, err = t.since(ctx, since); err != nil {
			return err
		}
	}
	return t.through(ctx, after, func(e office.Message) error {
		if e.TS < since || !filter.wants(&e) {
			return nil
		}
		return p.print(&e)
	})
}
