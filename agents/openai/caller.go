package openai

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// The two names of the parameter that limits the length of an answer.
const (
	paramMaxTokens           = "max_tokens"
	paramMaxCompletionTokens = "max_completion_tokens"
)

// Capabilities declares which parts of a caller's request a model supports.
func (r *Runner) Capabilities() drive.Capabilities {
	return drive.Capabilities{Messages: true, Images: true, Work: true, Workspace: r.cfg.Runner.Mode != modeText, Parameters: []string{
		"temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "stop", "response_format", "reasoning_effort", "verbosity",
		paramMaxTokens, paramMaxCompletionTokens,
	}}
}

// answer returns the model's answer to a caller. The model receives the persona, a summary of the
// office, and the caller's messages with their roles.
func (r *Runner) answer(ctx context.Context, agentID string, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	c := r.newConversation(sink, chatShape)
	c.caller = &p
	persona := r.persona(agentID) + "\n\nThe office as it is now:\n" + material("office", summary(r.cfg.Summary()))
	c.messages = []completions.Message{completions.Text("system", persona)}
	c.sent = len(persona)
	for _, m := range p.Messages {
		raw, err := messageOf(m)
		if err != nil {
			return drive.Answer{}, err
		}
		c.messages = append(c.messages, raw)
		c.sent += len(raw)
	}
	text, err := c.ask(ctx)
	cut := errors.Is(err, errCut) && !contracts.Blank(text)
	switch f := failureOf(err); {
	case cut, err == nil:
		return drive.Answer{Text: strings.TrimSpace(text), Cut: cut}, nil
	case f != nil && (f.status == http.StatusBadRequest || f.status == http.StatusUnprocessableEntity):
		return drive.Answer{}, fmt.Errorf("%w: %w", drive.ErrUnsupported, err)
	}
	return drive.Answer{}, err
}

// messageOf converts a message to the endpoint's format.
func messageOf(m drive.Message) (completions.Message, error) {
	out := map[string]any{"role": m.Role}
	if m.Name != "" {
		out["name"] = m.Name
	}
	if m.CallID != "" {
		out["tool_call_id"] = m.CallID
	}
	if len(m.Calls) > 0 {
		out["tool_calls"] = m.Calls
	}
	parts, pictures, whole := []any{}, false, []string{}
	for _, p := range m.Parts {
		if p.Image == nil {
			parts = append(parts, map[string]any{"type": "text", "text": p.Text})
			whole = append(whole, p.Text)
			continue
		}
		pictures = true
		image := map[string]any{"url": "data:" + p.Image.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Image.Data)}
		if p.Image.Detail != "" {
			image["detail"] = p.Image.Detail
		}
		parts = append(parts, map[string]any{"type": "image_url", "image_url": image})
	}
	switch {
	case pictures:
		out["content"] = parts
	case len(m.Parts) > 0 || len(m.Calls) == 0:
		out["content"] = strings.Join(whole, "\n")
	}
	raw, err := json.Marshal(out, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a message for the model: %w", err)
	}
	return raw, nil
}

// maxTokens returns the token limit of an answer: the runner's own limit, or the caller's limit if
// that is lower; 0 means no limit.
func (c *conversation) maxTokens() int64 {
	limit := int64(c.runner.cfg.Runner.MaxTokens)
	if c.caller == nil {
		return limit
	}
	for _, name := range []string{paramMaxTokens, paramMaxCompletionTokens} {
		var n float64
		if value, ok := c.caller.Parameters[name]; ok && json.Unmarshal(value, &n) == nil && (limit <= 0 || int64(n) < limit) {
			limit = int64(n)
		}
	}
	return limit
}
