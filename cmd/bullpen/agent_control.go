package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/backoff"
	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

// control is what can be done to an agent by a word of its own.
type control struct {
	word  string
	name  contracts.CommandName
	short string
	done  string // of whom, and to whom
	to    bool   // it ends in somebody else's hands
}

var agentControls = []control{
	{word: "stop", name: contracts.CmdStopAgent, short: "Stop what an agent is doing; its task waits for you", done: "%[1]s stops."},
	{word: "kill", name: contracts.CmdKillAgent, short: "End the process of an agent, and what it runs", done: "The process of %[1]s is ended."},
	{word: "new", name: contracts.CmdNewSession, short: "Begin a new session: the agent forgets the conversation", done: "%[1]s begins a new session."},
	{word: "switch", name: contracts.CmdSwitchAgent, short: "Let another agent answer the messages that wait", done: "%[2]s answers the messages that waited for %[1]s.", to: true},
	{word: "handover", name: contracts.CmdHandover, short: "Give an agent's task to another", done: "%[2]s takes over from %[1]s.", to: true},
}

// outcome is what a script reads of a control.
type outcome struct {
	OK      bool     `json:"ok"`
	AgentID string   `json:"agent_id"`
	To      string   `json:"to_agent_id,omitzero"`
	Seq     uint64   `json:"seq,omitzero"`
	TaskIDs []string `json:"task_ids,omitzero"`
	Answer  string   `json:"answer,omitzero"` // to what was said
}

func newAgentControlCommands() (all []*cobra.Command) {
	for _, k := range agentControls {
		c := &cobra.Command{Use: k.word + " ID|NAME", Short: k.short, Args: exactArgs("ID|NAME"), ValidArgsFunction: completeFirst(agentWords)}
		if k.to {
			c.Use, c.Args, c.ValidArgsFunction = k.word+" ID|NAME TO", exactArgs("ID|NAME", "TO"), completeArgs(2, agentWords)
		}
		all = append(all, newVerb(c, func(ctx context.Context, v *verb, args []string) error { return v.control(ctx, k, args) }))
	}
	return append(all, newAgentSayCommand())
}

// control has the office direct somebody.
func (v *verb) control(ctx context.Context, k control, args []string) error {
	who, err := v.pick(ctx, args)
	if err != nil {
		return err
	}
	data := contracts.AgentControl{Name: k.name, AgentID: who[0].AgentID}
	names := []any{printable(who[0].Name)}
	if k.to {
		data.ToAgentID, names = who[1].AgentID, append(names, printable(who[1].Name))
	}
	ack, err := v.command(ctx, data)
	if err != nil {
		return err
	}
	out := outcome{OK: true, AgentID: data.AgentID, To: data.ToAgentID, Seq: ack.Seq, TaskIDs: ack.Result.TaskIDs}
	for _, a := range ack.Result.Assignments {
		out.TaskIDs = append(out.TaskIDs, a.TaskID)
	}
	return v.print(out, fmt.Sprintf(k.done, names...))
}

// pick finds everybody who is named.
func (v *verb) pick(ctx context.Context, names []string) (rows []view.AgentRow, err error) {
	list, err := askAgents(ctx, v.client)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		row, err := pickAgent(list.Agents, name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// sayWait is how long an answer is waited for unless somebody wants it otherwise.
const sayWait = 2 * time.Minute

// answerPause lies between two looks for it.
const answerPause = 200 * time.Millisecond

func newAgentSayCommand() *cobra.Command {
	c := &cobra.Command{Use: "say ID|NAME TEXT…", Short: "Say something to an agent and print the answer", ValidArgsFunction: completeFirst(agentWords), Args: func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return usageError("`%s` takes ID|NAME and what to say; see `%s --help`", cmd.CommandPath(), cmd.CommandPath())
		}
		return nil
	}}
	wait := c.Flags().Duration("wait", sayWait, "how long to wait for the answer; 0 does not wait")
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		who, err := v.pick(ctx, args[:1])
		if err != nil {
			return err
		}
		return v.talk(ctx, who[0], strings.Join(args[1:], " "), *wait)
	})
}

// talk says something and waits for the answer to it.
func (v *verb) talk(ctx context.Context, who view.AgentRow, text string, wait time.Duration) error {
	ack, err := v.command(ctx, contracts.Say{To: who.AgentID, Text: text})
	if err != nil {
		return err
	}
	out := outcome{OK: true, AgentID: who.AgentID, Seq: ack.Seq}
	if wait <= 0 {
		return v.print(out, printable(who.Name)+" has it.")
	}
	if out.Answer, err = v.answerTo(ctx, ack.Seq, wait); err != nil {
		return noAnswer(who, err)
	}
	return v.print(out, printableText(out.Answer))
}

// noAnswer tells an answer that takes its time from everything else.
func noAnswer(who view.AgentRow, err error) error {
	err = fmt.Errorf("it was said, but there is no answer of %s yet: %w", printable(who.Name), err)
	if errors.Is(err, errNoAnswer) {
		return &exitError{code: exitTimeout, err: err}
	}
	return err
}

var errNoAnswer = errors.New("it will be in the office")

// printableText is a text of several lines without what a terminal would obey.
func printableText(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// answerTo waits for the chat that answers another.
func (c *client) answerTo(ctx context.Context, seq uint64, wait time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("none came in %s; %w", wait, errNoAnswer))
	defer cancel()
	for after := seq; ; {
		var page struct {
			Events []office.Message `json:"events"`
			Next   uint64           `json:"next_after"`
		}
		if err := c.get(ctx, fmt.Sprintf("/v1/events?kind=chat&after=%d", after), &page); err != nil {
			return "", cmp.Or(context.Cause(ctx), err)
		}
		for _, e := range page.Events {
			var chat contracts.Chat
			if json.Unmarshal(e.Payload, &chat) == nil && chat.AnswersSeq == seq {
				return chat.Text, nil
			}
		}
		after = max(after, page.Next)
		if err := backoff.Sleep(ctx, answerPause); err != nil {
			return "", err
		}
	}
}
