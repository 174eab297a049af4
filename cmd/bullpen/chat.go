package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

const chatHelp = `Show the newest messages in the office chat, or send TEXT and print the answer. Without
TEXT, --follow keeps showing new messages.`

const chatExample = `  bullpen chat -n 50
  bullpen chat "What is going on?"
  bullpen chat --to Cleo "How is the copy coming along?"`

func newChatCommand() *cobra.Command {
	var to string
	var wait time.Duration
	o := tailOptions{kinds: []string{string(contracts.KindChat)}, after: -1}
	c := &cobra.Command{Use: "chat [TEXT…]", Short: "Read the office chat, or send a message", Long: chatHelp, Example: chatExample}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		ctx, stop := interruptible(ctx)
		defer stop()
		if len(args) == 0 {
			if _, err := o.check(time.Now()); err != nil {
				return err
			}
			err := o.run(ctx, v)
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				return &exitError{code: exitForced}
			}
			return err
		}
		text, err := readText(c.InOrStdin(), []string{strings.Join(args, " ")}, "the message", contracts.LimitChatText)
		if err != nil {
			return err
		}
		who := view.AgentRow{Name: "the office"}
		if to != "" {
			found, err := v.pick(ctx, []string{to})
			if err != nil {
				return err
			}
			who = found[0]
		}
		return v.talk(ctx, who, text, wait)
	})
	c.PreRunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return flagsNeed(c, "TEXT to send", false, "to", "wait")
		}
		for _, name := range []string{"lines", "follow"} {
			if c.Flags().Changed(name) {
				return usageError("--%s shows messages, and cannot be combined with TEXT", name)
			}
		}
		return nil
	}
	f := c.Flags()
	f.StringVar(&to, "to", "", "agent to ask, by id or name (default: the agent that speaks for the office)")
	f.DurationVar(&wait, "wait", sayWait, "how long to wait for the answer; 0 returns immediately")
	f.IntVarP(&o.lines, "lines", "n", 20, "number of messages to show, newest last")
	f.BoolVarP(&o.follow, "follow", "f", false, "keep showing new messages")
	onlyTyped(f, "to", "wait", "lines", "follow")
	completeAgents(c, "to")
	return c
}
