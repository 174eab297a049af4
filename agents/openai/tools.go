package openai

import (
	"context"
	"os"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/toolset"
	"github.com/bullpen-office/bullpen/drive/workspace"
)

// modeText is the mode of runners whose models have no tools. Package toolset defines the other
// modes.
const modeText = "text"

// modes lists the modes of a runner; the first is the default.
var modes = []string{string(toolset.ModeAsk), string(toolset.ModeEdit), string(toolset.ModeRead), modeText}

// tools is the state of tool use in one conversation.
type tools struct {
	set    *toolset.Set
	offer  any                 // the value of the tools parameter
	size   int                 // size of offer in bytes
	drop   func(*conversation) // restarts the conversation, for an endpoint that does not accept tools
	rounds int                 // answers with tool calls in this turn
	form   bool                // the last answer had no JSON object, so the next must have the required structure
}

// toolsIn returns the tools for a workspace, or nil if the runner's models have none.
func (r *Runner) toolsIn(spec drive.Spec) (*tools, error) {
	if spec.Workspace == "" || r.cfg.Runner.Mode == modeText {
		return nil, nil
	}
	env := spec.Env
	if env == nil {
		env = process.Environment(os.Environ())
	}
	files, err := workspace.Open(spec.Workspace, env)
	if err != nil {
		return nil, err
	}
	cfg := toolset.Config{Workspace: files, Mode: toolset.Mode(r.cfg.Runner.Mode)}
	if r.cfg.Restricted != nil {
		cfg.Restricted = func(p contracts.Permission) bool { return r.cfg.Restricted(spec.AgentID, p) }
	}
	t := &tools{set: toolset.New(cfg)}
	var list []completions.Tool
	for _, tool := range t.set.Tools() {
		list = append(list, completions.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
	}
	t.offer = completions.Tools(list)
	text, err := json.Marshal(t.offer)
	t.size = len(text)
	return t, err
}

// reset prepares the tools for the prompt that follows answer.
func (t *tools) reset(answer string) {
	t.rounds, t.form = 0, !strings.Contains(answer, "{")
}

// form returns the form of the next request. If the endpoint does not accept tools for the model,
// form restarts the conversation without them.
func (c *conversation) form() form {
	e, model := c.runner.endpoint, c.runner.cfg.Runner.Model
	if c.tools == nil {
		return e.form(c.shape, model, false)
	}
	open := !c.tools.form && c.tools.rounds < contracts.LimitToolRounds && c.sent < contracts.LimitToolMessages
	f := e.form(c.shape, model, open)
	if open && !f.tools {
		drop := c.tools.drop
		c.tools = nil
		drop(c)
		return e.form(c.shape, model, false)
	}
	return f
}

// noMoreTools tells the model that its next answer must be the last.
const noMoreTools = "You have reached the limit of tool calls. Answer now with what you have."

// runCalls makes the calls in a reply, one after another, and adds their results to the
// conversation.
func (c *conversation) runCalls(ctx context.Context, r reply) error {
	t := c.tools
	t.rounds++
	results := make([]completions.Message, 0, len(r.calls))
	for i, call := range r.calls {
		made := toolset.Call{Tool: call.Name, Args: call.Arguments}
		c.sink.Progress(10+75*t.rounds/(t.rounds+12), made.Label())
		result := t.set.Call(ctx, made, c.sink)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !made.Valid() {
			r.calls[i].Arguments = "{}" // endpoints may reject a conversation with malformed arguments
		}
		results = append(results, completions.ResultMessage(call.ID, result))
	}
	c.add(completions.CallMessage(r.text, r.reasoning, r.calls))
	c.add(results...)
	if t.rounds == contracts.LimitToolRounds || c.sent >= contracts.LimitToolMessages {
		c.add(completions.Text("user", noMoreTools))
	}
	return nil
}

func (c *conversation) add(messages ...completions.Message) {
	for _, m := range messages {
		c.messages = append(c.messages, m)
		c.sent += len(m)
	}
}
