package openai

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
)

// call asks the model once, shows the answer as it is written, and returns it. If the answer is
// invalid, the error is an errMalformed.
func (c *conversation) call(ctx context.Context, f form) (string, error) {
	r := c.runner
	endThought := c.sink.Think()
	defer endThought()
	a := &answer{conversation: c, model: r.cfg.Runner.Model, thought: endThought}
	a.estimate()
	client := &completions.Client{BaseURL: r.cfg.BaseURL, Key: r.cfg.Key, HTTP: r.cfg.HTTP, Stall: r.cfg.Runner.Stall}
	err := client.Stream(ctx, c.request(f), a.take)
	if !a.exact { // the bytes since the last estimate are billed as well
		a.estimate()
	}
	c.bill.close(a.used)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case fatal(err):
		return "", failureFrom(err, client)
	case err != nil:
		return a.text.String(), err
	}
	return a.whole()
}

// request returns the request in the form that the endpoint supports. The caller's parameters
// override the runner's.
func (c *conversation) request(f form) completions.Request {
	parameters := map[string]any{}
	if format := c.shape.format(f.structure); format != nil {
		parameters["response_format"] = format
	}
	if t := c.runner.cfg.Runner.Temperature; t != nil {
		parameters["temperature"] = *t
	}
	if c.caller != nil {
		for name, value := range c.caller.Parameters {
			parameters[name] = value
		}
	}
	delete(parameters, paramMaxTokens)
	delete(parameters, paramMaxCompletionTokens)
	switch n := c.maxTokens(); {
	case n <= 0:
	case strings.Contains(c.runner.cfg.BaseURL, "://api.openai.com"):
		// OpenAI's newer models reject max_tokens, but other endpoints support nothing else.
		parameters[paramMaxCompletionTokens] = n
	default:
		parameters[paramMaxTokens] = n
	}
	return completions.Request{Model: c.runner.cfg.Runner.Model, Messages: c.messages, Usage: f.usage, Parameters: parameters}
}

// answer collects the model's answer while it arrives.
type answer struct {
	*conversation
	model      string
	thought    func() // ends the display of thinking when the model starts to write
	text       strings.Builder
	refusal    strings.Builder
	tools      string // the first tool that the model wants to call
	finish     string
	used       contracts.Usage
	exact      bool // the endpoint reported the usage
	counted    int  // bytes at the last estimate
	unread     int  // bytes of reasoning and tool arguments
	textStream textStream
}

// take adds a chunk and shows its text. It fails if the answer is too long.
func (a *answer) take(chunk completions.Chunk) error {
	if chunk.Model != "" {
		a.model = contracts.Clip(contracts.CleanLine(string(chunk.Model)), contracts.LimitName)
	}
	if u := chunk.Usage; u != nil && u.TotalTokens+u.PromptTokens+u.CompletionTokens > 0 {
		a.used, a.exact = usageOf(a.model, *u), true
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		a.think(choice.Delta.Thought())
		a.write(string(choice.Delta.Content))
		a.refusal.WriteString(string(choice.Delta.Refusal))
		for _, t := range choice.Delta.ToolCalls {
			a.unread += len(t.Function.Arguments)
			if a.tools == "" && t.Function.Name != "" {
				a.tools = contracts.Clip(contracts.CleanLine(string(t.Function.Name)), contracts.LimitName)
			}
		}
		if choice.Finish != "" {
			a.finish = string(choice.Finish)
		}
	}
	n := a.len()
	if n > contracts.LimitModelAnswer {
		return malformed("the answer exceeds %d bytes", contracts.LimitModelAnswer)
	}
	if !a.exact && n-a.counted >= estimateEvery {
		a.estimate()
	}
	return nil
}

func (a *answer) len() int { return a.text.Len() + a.refusal.Len() + a.unread }

// estimate sets the usage of the call from its length so far.
func (a *answer) estimate() {
	a.counted = a.len()
	a.used = a.bill.guess(a.model, a.sent, a.counted)
}

// think shows the reasoning that some endpoints stream along with the answer.
func (a *answer) think(text string) {
	if text == "" {
		return
	}
	a.unread += len(text)
	a.sink.Delta("thought", text)
}

// write adds text and shows the part that is for people.
func (a *answer) write(piece string) {
	if piece == "" {
		return
	}
	a.thought()
	a.text.WriteString(piece)
	shown := piece
	kind := a.kind
	if a.shape.structured() {
		shown, kind = a.textStream.read(piece, kind)
	}
	if shown == "" {
		return
	}
	a.sink.Delta(kind, shown)
	const half = 6 << 10 // bytes at which the work counts as half done
	n := a.text.Len()
	a.sink.Progress(10+85*n/(n+half), "Writing: "+a.textStream.line(shown))
}

// whole returns the answer, or an error if the answer was refused, cut off, filtered or empty.
func (a *answer) whole() (string, error) {
	switch {
	case a.refusal.Len() > 0:
		return "", &failure{reason: fmt.Sprintf("the model refused: %s", clip(contracts.CleanLine(a.refusal.String()), contracts.LimitPreview))}
	case a.finish == "content_filter":
		return "", &failure{reason: "the endpoint's content filter stopped the answer; rephrase the request"}
	case a.finish == "length":
		return a.text.String(), errMalformed{errCut}
	case a.tools != "" && a.text.Len() == 0:
		return "", malformed("no tools are available, so %q cannot be called; answer with the text itself", a.tools)
	case a.finish == "":
		return "", &failure{reason: "the answer ended early", passing: true}
	case contracts.Blank(a.text.String()):
		return "", malformed("the answer is empty")
	}
	return a.text.String(), nil
}

// Models lists an endpoint's models, for `bullpen doctor` and `bullpen connect`.
func Models(ctx context.Context, client *http.Client, baseURL, key string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.ModelProbe)
	defer cancel()
	endpoint := &completions.Client{BaseURL: baseURL, Key: key, HTTP: client}
	names, err := endpoint.Models(ctx)
	if err != nil {
		return nil, failureFrom(err, endpoint)
	}
	return names, nil
}
