package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/bullpen-office/bullpen/contracts"
)

// errStalled says that an endpoint sent nothing for too long.
var errStalled = errors.New("stalled")

// call puts the question once and reads the answer while it is written.
func (c *conversation) call(ctx context.Context, f form) (string, error) {
	r := c.runner
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(r.cfg.Runner.Stall, func() { cancel(errStalled) })
	defer watch.Stop()
	wire := &wire{touch: func() { watch.Reset(r.cfg.Runner.Stall) }, secret: r.cfg.Key}
	options := []option.RequestOption{
		option.WithBaseURL(r.cfg.BaseURL), option.WithHTTPClient(r.cfg.HTTP), option.WithMaxRetries(0), option.WithMiddleware(wire.trip),
	}
	if r.cfg.Key != "" {
		options = append(options, option.WithAPIKey(r.cfg.Key))
	}
	options = append(options, c.wishes()...)
	endThought := c.sink.Think()
	defer endThought()
	service := sdk.NewChatCompletionService(options...)
	stream := service.NewStreaming(ctx, c.params(f))
	defer stream.Close()
	a := &answer{conversation: c, model: r.cfg.Runner.Model, thought: endThought}
	a.estimate()
	for a.err == nil && ctx.Err() == nil && stream.Next() {
		a.take(stream.Current())
	}
	err := stream.Err()
	if !a.exact { // what came since the last estimate was paid for as well
		a.estimate()
	}
	c.bill.close(a.used)
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return "", &failure{reason: fmt.Sprintf("the endpoint sent nothing for %s", r.cfg.Runner.Stall), passing: true, stalled: true}
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case a.err != nil:
		return a.text.String(), a.err
	case err != nil:
		return "", failureFrom(err, wire, r.cfg.BaseURL)
	}
	return a.whole()
}

// params is the request in the form that the endpoint takes.
func (c *conversation) params(f form) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{Model: c.runner.cfg.Runner.Model, Messages: c.messages, ResponseFormat: c.shape.format(f.structure)}
	if f.usage {
		p.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}
	}
	switch n := c.maxTokens(); {
	case n <= 0:
	case strings.Contains(c.runner.cfg.BaseURL, "://api.openai.com"): // its newer models refuse the older name, which others only know
		p.MaxCompletionTokens = param.NewOpt(n)
	default:
		p.MaxTokens = param.NewOpt(n)
	}
	if t := c.runner.cfg.Runner.Temperature; t != nil {
		p.Temperature = param.NewOpt(*t)
	}
	return p
}

// answer is what came of the model so far.
type answer struct {
	*conversation
	model    string
	thought  func() // ends the thinking, once the model writes
	text     strings.Builder
	refusal  strings.Builder
	tools    string // the first tool that it wants to call
	finish   string
	used     contracts.Usage
	exact    bool // the endpoint said what was used
	counted  int  // bytes when the use was last estimated
	thoughts int  // bytes of reasoning
	teller   teller
	err      error
}

// take adds a piece.
func (a *answer) take(chunk sdk.ChatCompletionChunk) {
	if chunk.Model != "" {
		a.model = contracts.Clip(contracts.CleanLine(chunk.Model), contracts.LimitName)
	}
	if chunk.JSON.Usage.Valid() && chunk.Usage.TotalTokens+chunk.Usage.PromptTokens+chunk.Usage.CompletionTokens > 0 {
		a.used, a.exact = usageOf(a.model, chunk.Usage), true
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		a.think(choice.Delta)
		a.write(choice.Delta.Content)
		a.refusal.WriteString(choice.Delta.Refusal)
		for _, t := range choice.Delta.ToolCalls {
			if a.tools == "" && t.Function.Name != "" {
				a.tools = contracts.Clip(contracts.CleanLine(t.Function.Name), contracts.LimitName)
			}
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	if n := a.len(); n > contracts.LimitModelAnswer {
		a.err = malformed("the answer has more than %d bytes", contracts.LimitModelAnswer)
	} else if !a.exact && n-a.counted >= estimateEvery {
		a.estimate()
	}
}

func (a *answer) len() int { return a.text.Len() + a.refusal.Len() + a.thoughts }

// estimate counts the call by its length so far.
func (a *answer) estimate() {
	a.counted = a.len()
	a.used = a.bill.guess(a.model, a.sent, a.counted)
}

// think shows the reasoning that some endpoints stream beside the answer.
func (a *answer) think(d sdk.ChatCompletionChunkChoiceDelta) {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		f, ok := d.JSON.ExtraFields[name]
		if !ok {
			continue
		}
		if text := unquote(f.Raw()); text != "" {
			a.thoughts += len(text)
			a.sink.Delta("thought", text)
			return
		}
	}
}

// write adds text and shows what of it is for people.
func (a *answer) write(piece string) {
	if piece == "" {
		return
	}
	a.thought()
	a.text.WriteString(piece)
	shown := piece
	kind := a.kind
	if a.shape.structured() {
		shown, kind = a.teller.read(piece, kind)
	}
	if shown == "" {
		return
	}
	a.sink.Delta(kind, shown)
	const half = 6 << 10 // bytes at which the work counts as half done
	n := a.text.Len()
	a.sink.Progress(10+85*n/(n+half), "Writing: "+a.teller.line(shown))
}

// whole is the answer when it ended well.
func (a *answer) whole() (string, error) {
	switch {
	case a.refusal.Len() > 0:
		return "", &failure{reason: fmt.Sprintf("the model refuses: %s", clip(contracts.CleanLine(a.refusal.String()), contracts.LimitPreview))}
	case a.finish == "content_filter":
		return "", &failure{reason: "the endpoint's content filter stopped the answer: word the request differently"}
	case a.finish == "length":
		return a.text.String(), errMalformed{errCut}
	case a.tools != "" && a.text.Len() == 0:
		return "", malformed("there are no tools here, so %q cannot be called; answer with the text itself", a.tools)
	case a.finish == "":
		return "", &failure{reason: "the answer broke off in the middle", passing: true}
	case contracts.Blank(a.text.String()):
		return "", malformed("the answer is empty")
	}
	return a.text.String(), nil
}

// Models asks an endpoint which models it has, for the doctor.
func Models(ctx context.Context, client *http.Client, baseURL, key string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.ModelProbe)
	defer cancel()
	wire := &wire{touch: func() {}, secret: key, plain: true}
	options := []option.RequestOption{option.WithBaseURL(baseURL), option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithMiddleware(wire.trip)}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	service := sdk.NewModelService(options...)
	page, err := service.List(ctx)
	if err != nil {
		return nil, failureFrom(err, wire, baseURL)
	}
	var names []string
	for _, m := range page.Data {
		names = append(names, m.ID)
	}
	return names, nil
}
