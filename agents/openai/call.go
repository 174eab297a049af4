package openai

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
)

// reply is one answer from the model: its text, or tool calls.
type reply struct {
	text      string
	calls     []completions.Call // only in the reply to a request that offers tools
	reasoning string             // to be sent back with the results of the calls; empty if the endpoint does not need it
}

// call sends one request to the model, shows the answer while it arrives, and returns it. If the
// answer is invalid, the error is an errMalformed.
func (c *conversation) call(ctx context.Context, f form) (reply, error) {
	r := c.runner
	endThought := c.sink.Think()
	defer endThought()
	a := &answer{conversation: c, form: f, model: r.cfg.Runner.Model, endThought: endThought}
	a.estimate()
	client := &completions.Client{BaseURL: r.cfg.BaseURL, Key: r.cfg.Key, HTTP: r.cfg.HTTP, Stall: r.cfg.Runner.Stall}
	err := client.Stream(ctx, c.request(f), a.take)
	if !a.exact { // the bytes since the last estimate are billed as well
		a.estimate()
	}
	c.bill.close(a.used)
	switch {
	case ctx.Err() != nil:
		return reply{}, context.Cause(ctx)
	case fatal(err):
		return reply{}, failureFrom(err, client)
	case err != nil:
		return reply{text: a.text.String()}, err
	}
	return a.result()
}

// request returns the request in the form that the endpoint supports. The caller's parameters
// override the runner's.
func (c *conversation) request(f form) completions.Request {
	parameters := map[string]any{}
	if format := c.shape.format(f.structure); format != nil {
		parameters["response_format"] = format
	}
	if f.tools {
		parameters["tools"] = c.tools.offer
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
		// OpenAI's newer models reject max_tokens, but other endpoints support only max_tokens.
		parameters[paramMaxCompletionTokens] = n
	default:
		parameters[paramMaxTokens] = n
	}
	return completions.Request{Model: c.runner.cfg.Runner.Model, Messages: c.messages, Usage: f.usage, Parameters: parameters}
}

// answer collects the model's answer as it arrives.
type answer struct {
	*conversation
	form       form
	model      string
	endThought func() // ends the display of thinking when the model starts to write
	text       strings.Builder
	refusal    strings.Builder
	calls      completions.Calls
	reasoning  strings.Builder // the model's reasoning, which some endpoints require in the next request
	finish     string
	used       contracts.Usage
	exact      bool // the endpoint reported the usage
	counted    int  // length of the answer in bytes at the last estimate
	otherBytes int  // bytes of reasoning and tool arguments, which also count as part of the answer
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
		if a.form.tools {
			a.reasoning.WriteString(string(choice.Delta.ReasoningContent))
		}
		a.write(string(choice.Delta.Content))
		a.refusal.WriteString(string(choice.Delta.Refusal))
		for _, t := range choice.Delta.ToolCalls {
			a.otherBytes += len(t.Function.Arguments)
			a.calls.Add(t)
		}
		if a.calls.Len() > contracts.LimitToolCalls {
			return malformed("the answer has more than %d tool calls", contracts.LimitToolCalls)
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

func (a *answer) len() int { return a.text.Len() + a.refusal.Len() + a.otherBytes }

// estimate sets the usage of the call to an estimate from the current length of the answer.
func (a *answer) estimate() {
	a.counted = a.len()
	a.used = a.bill.guess(a.model, a.sent, a.counted)
}

// think shows the reasoning that some endpoints stream along with the answer.
func (a *answer) think(text string) {
	if text == "" {
		return
	}
	a.otherBytes += len(text)
	a.sink.Delta("thought", text)
}

// write adds text and shows the part meant for people.
func (a *answer) write(piece string) {
	if piece == "" {
		return
	}
	a.endThought()
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

// result returns the answer, or an error if the answer was refused, cut off, filtered or empty.
func (a *answer) result() (reply, error) {
	text, calls := a.text.String(), a.calls.List()
	switch {
	case a.refusal.Len() > 0:
		return reply{}, &failure{reason: fmt.Sprintf("the model refused to answer: %s", clip(contracts.CleanLine(a.refusal.String()), contracts.LimitPreview))}
	case a.finish == "content_filter":
		return reply{}, &failure{reason: "the endpoint's content filter stopped the answer; rephrase the request"}
	case a.finish == "length":
		return reply{text: text}, errMalformed{errCut}
	case len(calls) > 0 && a.form.tools && a.finish != "":
		return reply{text, calls, a.reasoning.String()}, nil
	case len(calls) > 0 && text == "":
		return reply{}, malformed("no tools are available, so %q cannot be called; answer with the text itself", contracts.Clip(contracts.CleanLine(calls[0].Name), contracts.LimitName))
	case a.finish == "":
		return reply{}, &failure{reason: "the answer ended early", temporary: true}
	case contracts.Blank(text):
		return reply{}, malformed("the answer is empty")
	}
	return reply{text: text}, nil
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
