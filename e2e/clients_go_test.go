//go:build unix

package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/bullpen-office/bullpen/server"
)

// goClient is OpenAI's own client for Go.
func (d *door) goClient() openai.Client {
	transport := &http.Transport{}
	d.t.Cleanup(transport.CloseIdleConnections)
	return openai.NewClient(option.WithBaseURL(d.url()), option.WithAPIKey(d.key), option.WithMaxRetries(0), option.WithHTTPClient(&http.Client{Transport: transport}))
}

func goPrompt(model, text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
}

// B1: OpenAI's client for Go streams and reads whole answers, from whoever dialled
// in and from the crew.
func TestGoClientOfTheOpenAIDoor(t *testing.T) {
	t.Parallel()
	d := openDoor(t, server.Config{})
	newActor(t, d.addr, owner(t, d.data))
	client := d.goClient()
	for _, model := range []string{"bullpen/dev", "bullpen/agent_bd"} {
		stream := client.Chat.Completions.NewStreaming(t.Context(), goPrompt(model, "Count to three."))
		var whole openai.ChatCompletionAccumulator
		counted := false
		for first := true; stream.Next(); first = false {
			chunk := stream.Current()
			if first && chunk.Choices[0].Delta.Role != "assistant" {
				t.Errorf("the first chunk is %s", chunk.RawJSON())
			}
			counted = counted || chunk.JSON.Usage.Valid()
			if !whole.AddChunk(chunk) {
				t.Errorf("a chunk that does not fit: %s", chunk.RawJSON())
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if c := whole.Choices[0]; c.FinishReason != "stop" || c.Message.Content == "" || model == "bullpen/dev" && c.Message.Content != "One, two, three." {
			t.Errorf("%s: %+v", model, c)
		}
		if counted {
			t.Errorf("%s: the stream had a usage that nobody reported", model)
		}
		params := goPrompt(model, "Count to three.")
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
		answer, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if c := answer.Choices[0]; c.FinishReason != "stop" || c.Message.Role != "assistant" || c.Message.Content == "" || answer.JSON.Usage.Valid() {
			t.Errorf("%s: %s", model, answer.RawJSON())
		}
	}
	var models []string
	for pager := client.Models.ListAutoPaging(t.Context()); pager.Next(); {
		models = append(models, pager.Current().ID)
	}
	if !slices.Contains(models, "bullpen/dev") || !slices.Contains(models, "bullpen/agent_bd") {
		t.Errorf("the models are %q", models)
	}
}

// B1, B10: what goes wrong is the client's own error, before the stream and in it,
// and hanging up ends the turn.
func TestGoClientErrors(t *testing.T) {
	t.Parallel()
	d := openDoor(t, server.Config{RequireToken: true})
	var refused *openai.Error
	stranger := d.goClient()
	if _, err := stranger.Models.List(t.Context()); !errors.As(err, &refused) || refused.StatusCode != http.StatusUnauthorized || refused.Code != "invalid_api_key" {
		t.Errorf("a wrong key: %v", err)
	}
	d.key = owner(t, d.data)
	a := newActor(t, d.addr, d.key)
	client := d.goClient()
	if _, err := client.Chat.Completions.New(t.Context(), goPrompt("bullpen/nobody", "x")); !errors.As(err, &refused) || refused.StatusCode != http.StatusNotFound || refused.Code != "model_not_found" {
		t.Errorf("an unknown model: %v", err)
	}
	if _, err := client.Chat.Completions.New(t.Context(), goPrompt("bullpen/dev", " ")); !errors.As(err, &refused) || refused.StatusCode != http.StatusBadRequest || refused.Param != "messages" {
		t.Errorf("an empty message: %v", err)
	}
	if _, err := client.Chat.Completions.New(t.Context(), goPrompt("bullpen/dev", "Stumble.")); !errors.As(err, &refused) || refused.StatusCode != http.StatusBadGateway || refused.Code != "agent_disconnected" {
		t.Errorf("an agent that went away: %v", err)
	}
	broken := client.Chat.Completions.NewStreaming(t.Context(), goPrompt("bullpen/dev", "Stumble."))
	said := ""
	for broken.Next() {
		if c := broken.Current().Choices; len(c) > 0 {
			said += c[0].Delta.Content
		}
	}
	if err := broken.Err(); err == nil || said != "Well" {
		t.Errorf("an agent that went away in mid-stream: %q %v", said, err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	held := client.Chat.Completions.NewStreaming(ctx, goPrompt("bullpen/dev", "Hold on."))
	for held.Next() && held.Current().Choices[0].Delta.Content == "" {
	}
	hangUp()
	a.told("cancel")
	if answer, err := client.Chat.Completions.New(t.Context(), goPrompt("bullpen/dev", "Count to three.")); err != nil || answer.Choices[0].Message.Content != "One, two, three." {
		t.Errorf("the session is not usable any more: %v", err)
	}
}
