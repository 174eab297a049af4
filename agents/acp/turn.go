package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/hud"
)

// methodUpdate is the method of the agent's progress notifications.
const methodUpdate = "session/update"

// turn is one prompt to the agent and everything that happens until the agent answers. The run's
// lock guards the turn until the turn is detached.
type turn struct {
	run        *run
	ctx        context.Context // cancelled once the agent has been told to stop or the turn is over
	cancel     context.CancelFunc
	sink       drive.Sink
	open       map[string]*call
	over       map[string]bool // ids of calls that have ended
	thoughtEnd func()          // ends the current thinking period
	asking     sync.WaitGroup  // permission requests that are waiting for a person

	text    string // text of the current message
	last    string // the last message with text
	message string // id of the current message
	spent   contracts.Usage
	cost    *float64 // cost of the conversation, as the agent reported it in this turn
}

type call struct {
	translate.Call
	end func(result any) // nil until the call is shown
}

// Prompt sends a prompt and handles the agent's messages until the turn is over.
func (r *run) Prompt(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	if len(p.Images) > 0 && !r.agent.Images {
		return drive.Answer{}, fmt.Errorf("%w: it does not accept images", drive.ErrUnsupported)
	}
	t := &turn{run: r, sink: sink, open: map[string]*call{}, over: map[string]bool{}}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.mu.Lock()
	r.turn = t
	r.mu.Unlock()
	over := r.LimitWritesAfter(ctx)
	stop, err := t.exchange(ctx, p)
	over()
	t.cancel()
	r.detach()
	t.asking.Wait()
	return t.finish(stop), t.outcome(ctx, stop, err)
}

// exchange calls session/prompt. If ctx is done first, it tells the agent to stop, withdraws the
// turn's permission requests, and waits up to contracts.ProcessGrace for the agent's answer.
func (t *turn) exchange(ctx context.Context, p drive.Prompt) (translate.Stop, error) {
	r := t.run
	answered := make(chan struct{})
	waiting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	var result jsontext.Value
	var err error
	go func() {
		defer close(answered)
		result, err = r.Call(waiting, methodPrompt, promptParams(r.id(), p), r.detach)
	}()
	select {
	case <-answered:
		return translate.ReadStop(result), err
	case <-ctx.Done():
	}
	sendErr := r.Send(methodCancel, map[string]string{"sessionId": r.id()})
	t.cancel()
	if sendErr != nil {
		giveUp()
		<-answered
		return translate.Stop{}, sendErr
	}
	select {
	case <-answered:
		return translate.ReadStop(result), err
	case <-time.After(contracts.ProcessGrace):
		giveUp()
		<-answered
		return translate.Stop{}, r.Gone("it was killed because it did not stop when asked to")
	}
}

// detach ends the turn: messages that the agent sends after its answer belong to no turn.
func (r *run) detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn = nil
}

func (r *run) id() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// promptParams returns the parameters of session/prompt.
func promptParams(session string, p drive.Prompt) any {
	type block struct {
		Type string  `json:"type"`
		Text *string `json:"text,omitzero"`
		Data []byte  `json:"data,omitzero"` // base64 in JSON
		MIME string  `json:"mimeType,omitzero"`
	}
	var blocks []block
	for _, image := range p.Images {
		blocks = append(blocks, block{Type: "image", Data: image.Data, MIME: image.MIME})
	}
	return struct {
		Session string  `json:"sessionId"`
		Prompt  []block `json:"prompt"`
	}{session, append(blocks, block{Type: "text", Text: &p.Text})}
}

func (t *turn) handle(u translate.Update) {
	if u.Kind != translate.Thought {
		t.endThinking()
	}
	switch u.Kind {
	case translate.Message:
		t.streamMessage(u)
	case translate.Thought:
		if t.thoughtEnd == nil {
			t.thoughtEnd = t.sink.Think()
		}
		t.sink.Delta("thought", u.Text)
	case translate.ToolCall, translate.ToolUpdate:
		t.report(u.Call)
	case translate.Used:
		if u.Cost != nil {
			t.cost = u.Cost
		}
	case translate.Notice:
		t.sink.Delta("thought", u.Text)
	}
}

// streamMessage streams a piece of a message. A message ends when the next message or a tool call
// starts.
func (t *turn) streamMessage(u translate.Update) {
	if u.Tokens != nil {
		t.spent = drive.Sum(t.spent, u.Tokens.Usage())
		t.sink.Used(t.spent)
	}
	if u.Text == "" {
		return
	}
	if u.MessageID != t.message {
		t.endMessage()
		t.message = u.MessageID
	}
	t.text += hud.Cut(u.Text, max(contracts.LimitACPAnswer-len(t.text), 0))
	t.sink.Delta("token", u.Text)
}

func (t *turn) endMessage() {
	if strings.TrimSpace(t.text) != "" {
		t.last = t.text
	}
	t.text = ""
}

func (t *turn) endThinking() {
	if t.thoughtEnd != nil {
		t.thoughtEnd()
		t.thoughtEnd = nil
	}
}

// report shows a tool call once enough is known about it, and shows its result once it has ended.
func (t *turn) report(u translate.CallUpdate) {
	c := t.merge(u)
	if c == nil {
		return
	}
	if c.Ready() {
		t.show(u.ID, c)
	}
	if c.Over() {
		c.end(c.Result(t.run.shells.shown))
		delete(t.open, u.ID)
		if len(t.over) >= contracts.LimitACPCalls {
			clear(t.over)
		}
		t.over[u.ID] = true
	}
}

// merge applies an update to its call and returns the call, or nil if the call has ended or there
// are too many calls.
func (t *turn) merge(u translate.CallUpdate) *call {
	c := t.open[u.ID]
	if c == nil {
		if u.ID == "" || t.over[u.ID] || len(t.open) >= contracts.LimitACPCalls {
			return nil
		}
		c = &call{}
		t.open[u.ID] = c
	}
	c.Merge(u)
	return c
}

func (t *turn) show(id string, c *call) {
	if c.end == nil {
		t.endMessage()
		officeCall := c.OfficeCall()
		c.end = t.sink.ToolStart(id, officeCall.Tool, officeCall.Args)
	}
}

// finish ends everything that is still open and returns the answer.
func (t *turn) finish(stop translate.Stop) drive.Answer {
	t.endThinking()
	for _, c := range t.open {
		if c.end != nil {
			c.end(c.Unfinished("the turn ended before this call finished"))
		}
	}
	t.endMessage()
	used := drive.AtLeast(stop.Used, t.spent)
	if t.cost != nil {
		used.CostUSD = new(max(*t.cost-t.run.cost, 0))
		t.run.cost = *t.cost
	}
	return drive.Answer{Text: strings.TrimSpace(contracts.CleanText(t.last)), Cut: stop.Reason == translate.StopTokens, Usage: used}
}

// outcome returns the turn's error, or nil if the turn succeeded.
func (t *turn) outcome(ctx context.Context, stop translate.Stop, err error) error {
	var failed *rpc.Error
	switch {
	case errors.Is(err, drive.ErrGone):
		return errors.Join(ctx.Err(), err)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &failed) && failed.Code == rpc.CodeSignIn:
		return signInError(t.run.agent, failed)
	case errors.As(err, &failed):
		return t.run.explain("answer", err)
	case err != nil:
		return err
	}
	switch stop.Reason {
	case translate.StopEnd, translate.StopTokens:
		return nil
	case translate.StopRequests:
		return errors.New("the agent stopped because it reached its limit of model requests per turn")
	case translate.StopRefusal:
		return errors.New("the agent refused to continue")
	case translate.StopCancelled:
		return errors.New("the agent cancelled the turn on its own")
	}
	return fmt.Errorf("the agent stopped for an unknown reason: %q", hud.Line(stop.Reason, contracts.LimitName))
}
