package claude

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/session"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// turn is one prompt to the program and everything that happens until its result.
type turn struct {
	run        *run
	sink       drive.Sink
	open       map[string]toolCall        // calls that have not ended, by id
	thoughtEnd func()                     // ends the open thinking period
	asking     sync.WaitGroup             // questions waiting for a person
	spent      contracts.Usage            // usage of finished messages
	writing    map[string]contracts.Usage // usage of unfinished messages, by line.Parent
}

type toolCall struct {
	call hud.Call
	end  func(result any)
}

// exchange sends the prompt and handles the program's output until the result arrives.
func (t *turn) exchange(ctx context.Context, prompt drive.Prompt) (drive.Answer, error) {
	asks, stopAsking := context.WithCancel(ctx)
	defer t.asking.Wait()
	defer stopAsking()
	defer t.endThinking()
	defer t.run.LimitWritesAfter(ctx)()
	if err := t.run.send(promptLine(prompt)); err != nil {
		return drive.Answer{}, errors.Join(ctx.Err(), err)
	}
	stop := ctx.Done()
	var last <-chan time.Time
	for {
		select {
		case l, more := <-t.run.lines:
			if !more {
				return drive.Answer{}, session.AwaitExit(t.run.Process, programName, "it closed its output")
			}
			if l.Type == "result" {
				return t.result(ctx, l)
			}
			t.handle(asks, l)
		case <-stop:
			stop = nil
			last = time.After(contracts.ProcessGrace)
			if err := t.run.send(interruptLine(newSessionID())); err != nil {
				return drive.Answer{}, errors.Join(ctx.Err(), err)
			}
		case <-last:
			return drive.Answer{}, errors.Join(ctx.Err(), session.Gone(programName, "it was killed because it did not stop when asked to"))
		}
	}
}

// handle processes one line of the program's output: text, tool calls, usage or a permission
// request.
func (t *turn) handle(asks context.Context, l *line) {
	switch l.Type {
	case "system":
		if l.Subtype == "init" {
			t.run.began(l.SessionID)
		}
	case "stream_event":
		if l.Event == nil {
			return
		}
		t.count(l.Parent, l.Event)
		if l.Parent == "" {
			t.stream(l.Event)
		}
	case "assistant":
		for _, b := range l.Message.blocks() {
			if b.Type == "tool_use" {
				t.toolStart(b)
			}
		}
	case "user":
		for _, b := range l.Message.blocks() {
			if b.Type == "tool_result" {
				t.toolEnd(b, l.ToolOut)
			}
		}
	case "control_request":
		t.control(asks, l)
	}
}

// stream shows a piece of text or thinking as it is written.
func (t *turn) stream(e *event) {
	switch {
	case e.Type == "content_block_start" && e.Block != nil && e.Block.Type == "thinking":
		t.endThinking()
		t.thoughtEnd = t.sink.Think()
	case e.Type == "content_block_stop", e.Type == "content_block_start":
		t.endThinking()
	case e.Type == "content_block_delta" && e.Delta != nil && e.Delta.Type == "text_delta":
		t.sink.Delta("token", e.Delta.Text)
	case e.Type == "content_block_delta" && e.Delta != nil && e.Delta.Type == "thinking_delta":
		t.sink.Delta("thought", e.Delta.Thinking)
	}
}

// count reports usage while the turn is running, because a budget must be enforced before the turn
// ends.
func (t *turn) count(writer string, e *event) {
	now := t.writing[writer]
	switch {
	case e.Type == "message_start" && e.Message != nil && e.Message.Usage != nil:
		t.spent = drive.Sum(t.spent, now)
		now = e.Message.Usage.toUsage(e.Message.Model)
	case e.Type == "message_delta" && e.Usage != nil:
		now.TokensOut = max(now.TokensOut, e.Usage.Out)
	default:
		return
	}
	t.writing[writer] = now
	t.sink.Used(t.counted())
}

// counted returns the usage of the turn's messages, finished or not.
func (t *turn) counted() contracts.Usage {
	total := t.spent
	for _, u := range t.writing {
		total = drive.Sum(total, u)
	}
	return total
}

func (t *turn) endThinking() {
	if t.thoughtEnd != nil {
		t.thoughtEnd()
		t.thoughtEnd = nil
	}
}

func (t *turn) toolStart(b block) {
	if _, twice := t.open[b.ID]; twice || b.ID == "" {
		return
	}
	call := translate.Call(b.Name, b.Input)
	t.open[b.ID] = toolCall{call, t.sink.ToolStart(b.ID, call.Tool, call.Args)}
}

func (t *turn) toolEnd(b block, response jsontext.Value) {
	c, ok := t.open[b.ToolUseID]
	if !ok {
		return
	}
	delete(t.open, b.ToolUseID)
	failure := ""
	if b.IsError {
		if failure = b.text(); failure == "" {
			failure = "the tool failed"
		}
	}
	c.end(translate.Result(c.call, response, b.text(), failure))
}

// control answers a request from the program. While a permission request is waiting for a person,
// the program continues with other tools.
func (t *turn) control(asks context.Context, l *line) {
	if l.Request == nil || l.Request.Subtype != "can_use_tool" || l.Request.Tool == "" || len(l.Request.mismatched) > 0 {
		_ = t.run.send(errorLine(l.RequestID, "unsupported request"))
		return
	}
	id, req := l.RequestID, *l.Request
	t.asking.Go(func() { _ = t.run.send(responseLine(id, t.permit(asks, req))) })
}

// permission is an answer to a permission request in Claude Code's format.
type permission struct {
	Behavior string         `json:"behavior"`
	Input    jsontext.Value `json:"updatedInput,omitzero"`
	Updates  jsontext.Value `json:"updatedPermissions,omitzero"`
	Message  string         `json:"message,omitzero"`
}

func (t *turn) permit(ctx context.Context, req request) permission {
	if questions := translate.Questions(req.Tool, req.Input, contracts.Permission{CallID: req.ToolUseID, Place: t.run.place}); questions != nil {
		return t.ask(ctx, req, questions)
	}
	call := hud.Canonical(translate.Call(req.Tool, req.Input))
	if why := hud.Unreadable(call.Args); why != "" { // a terminal could not show the call either
		return permission{Behavior: "deny", Message: "This call cannot be reviewed in full: " + why + ". Take smaller steps, and do not put credentials in the command."}
	}
	shown := hud.ToolStart(hud.Source{}, "", hud.Span{}, call)
	verdict, err := t.sink.Permit(ctx, contracts.Permission{
		Tool: shown.Tool, Args: call.Args, Label: shown.Label, CallID: req.ToolUseID, Place: t.run.place, Grants: translate.Grants(req.Suggestions),
	})
	switch {
	case err != nil:
		return permission{Behavior: "deny", Message: "No one answered: " + err.Error()}
	case !verdict.Allow:
		verdict.Note = cmp.Or(verdict.Note, "Denied by a person in the office.")
		return permission{Behavior: "deny", Message: verdict.Note}
	}
	p := permission{Behavior: "allow", Input: req.Input}
	if verdict.Always {
		p.Updates = req.Suggestions
	}
	return p
}

// ask shows the program's questions to a person and returns the answers as a permission, or a
// denial if not all questions were answered.
func (t *turn) ask(ctx context.Context, req request, questions []contracts.AskSeen) permission {
	decisions, err := t.sink.Ask(ctx, questions)
	if err != nil {
		return permission{Behavior: "deny", Message: "No one answered: " + err.Error()}
	}
	input, ok := translate.Answers(req.Tool, req.Input, decisions)
	if !ok {
		return permission{Behavior: "deny", Message: "Not all of the questions were answered."}
	}
	return permission{Behavior: "allow", Input: input}
}

// result returns the turn's answer and error. A failure before the program has resumed the
// conversation means that the program cannot find the conversation. Claude Code's result for an
// interrupted turn omits the interrupted message, so the answer's usage is at least what this turn
// counted.
func (t *turn) result(ctx context.Context, l *line) (drive.Answer, error) {
	used, cost := l.used(t.run.cost)
	used = drive.AtLeast(used, t.counted())
	t.run.cost = cost
	answer := drive.Answer{Text: strings.TrimSpace(contracts.CleanText(l.Result)), Usage: used}
	switch failed := l.failure(); {
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case failed != "" && t.run.resuming:
		return answer, fmt.Errorf("%w: %s", drive.ErrNoConversation, failed)
	case failed != "":
		return answer, errors.New(failed)
	}
	return answer, nil
}

// failure returns the reason that a turn failed, or "" if the turn succeeded.
func (l *line) failure() string {
	switch {
	case !l.IsError && l.Subtype == "success":
		return ""
	case len(l.Errors) > 0:
		return strings.Join(l.Errors, "; ")
	case l.Result != "":
		return l.Result
	}
	return "Claude Code ended the turn with " + l.Subtype
}
