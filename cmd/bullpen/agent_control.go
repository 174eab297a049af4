package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/backoff"
	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

// control is a subcommand of `bullpen agent` that sends one command for an agent.
type control struct {
	word  string
	name  contracts.CommandName
	short string
	done  string // message format: %[1]s is the agent, %[2]s the second agent
	to    bool   // needs a second agent
}

var agentControls = []control{
	{word: "stop", name: contracts.CmdStopAgent, short: "Stop an agent's current work; its task waits for you", done: "Stopped %[1]s."},
	{word: "kill", name: contracts.CmdKillAgent, short: "Kill an agent's process and everything it runs", done: "Killed the process of %[1]s."},
	{word: "new", name: contracts.CmdNewSession, short: "Start a new session; the agent forgets the conversation", done: "Started a new session for %[1]s."},
	{word: "switch", name: contracts.CmdSwitchAgent, short: "Forward an agent's unanswered messages to another agent", done: "%[2]s now answers the messages for %[1]s.", to: true},
	{word: "handover", name: contracts.CmdHandover, short: "Hand an agent's task over to another agent", done: "%[2]s takes over from %[1]s.", to: true},
}

// outcome is the --json output of control commands.
type outcome struct {
	OK      bool     `json:"ok"`
	AgentID string   `json:"agent_id"`
	To      string   `json:"to_agent_id,omitzero"`
	Seq     uint64   `json:"seq,omitzero"`
	TaskIDs []string `json:"task_ids,omitzero"`
	Answer  string   `json:"answer,omitzero"` // the agent's answer; set only by `bullpen agent say`
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

// control sends k's command for the named agents and prints the outcome.
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

// pick returns the agents with these ids or names.
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

// sayWait is the default for --wait.
const sayWait = 2 * time.Minute

// answerPause is the polling interval for an answer.
const answerPause = 200 * time.Millisecond

func newAgentSayCommand() *cobra.Command {
	c := &cobra.Command{Use: "say ID|NAME TEXT…", Short: "Send a message to an agent and print the answer", Args: betweenArgs(2, math.MaxInt, "ID|NAME", "TEXT"), ValidArgsFunction: completeFirst(agentWords)}
	wait := c.Flags().Duration("wait", sayWait, "how long to wait for the answer; 0 returns immediately")
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		who, err := v.pick(ctx, args[:1])
		if err != nil {
			return err
		}
		return v.talk(ctx, who[0], strings.Join(args[1:], " "), *wait)
	})
}

// talk sends a message, waits for the answer and prints it.
func (v *verb) talk(ctx context.Context, who view.AgentRow, text string, wait time.Duration) error {
	ack, err := v.command(ctx, contracts.Say{To: who.AgentID, Text: text})
	if err != nil {
		return err
	}
	out := outcome{OK: true, AgentID: who.AgentID, Seq: ack.Seq}
	if wait <= 0 {
		return v.print(out, "Sent to "+printable(who.Name)+".")
	}
	if out.Answer, err = v.answerTo(ctx, ack.Seq, wait); err != nil {
		return noAnswer(who, err)
	}
	return v.print(out, printableText(out.Answer))
}

// noAnswer wraps err to explain that the message was sent but not answered. For a timeout, the
// exit code is exitTimeout.
func noAnswer(who view.AgentRow, err error) error {
	err = fmt.Errorf("message sent, but %s has not answered yet: %w", printable(who.Name), err)
	if errors.Is(err, errNoAnswer) {
		return &exitError{code: exitTimeout, err: err}
	}
	return err
}

var errNoAnswer = errors.New("the answer will appear in the office chat")

// printableText replaces control characters in text, except line breaks.
func printableText(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// answerTo waits for the answer to the chat message at seq, and returns its text.
func (c *client) answerTo(ctx context.Context, seq uint64, wait time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("timeout after %s; %w", wait, errNoAnswer))
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
