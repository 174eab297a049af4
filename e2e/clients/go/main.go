// Command go runs OpenAI's own Go client. Like the programs next to it, it plays the requested
// scenarios one after another, and prints the outcome of each as a line of JSON:
//
//	go BASE_URL KEY MODEL SCENARIO...
//
// It is a separate module, so that the product does not depend on the client.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// prompts holds the prompts by scenario; the agent in the test recognizes them.
var prompts = map[string]string{"quiet": "Take your time.", "broken": "Stumble.", "aborted": "Hold on."}

const (
	usual  = "Count to three."
	nobody = "bullpen/nobody-at-all"
	enough = 10 // keep-alives before a waiting client prompts the other agent
)

// outcome is the part of a result that the test compares.
type outcome struct {
	Scenario string   `json:"scenario"`
	Roles    []string `json:"roles"`
	Texts    []string `json:"texts"`
	Text     string   `json:"text"`
	Finish   string   `json:"finish"`
	Usage    *int64   `json:"usage"`
	Beats    int      `json:"beats"`
	Models   []string `json:"models"`
	Error    *words   `json:"error"`
}

// words holds the parts of an error that the test compares.
type words struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// call is the state of one scenario.
type call struct {
	ctx     context.Context
	cancel  context.CancelFunc
	baseURL string
	key     string
	model   string
	prompt  string
	client  openai.Client
	seen    outcome
}

var scenarios = map[string]func(*call) error{
	"stream":       func(c *call) error { return c.stream(c.ask(), nil) },
	"broken":       func(c *call) error { return c.stream(c.ask(), nil) },
	"whole":        (*call).whole,
	"refused":      (*call).whole,
	"unknown":      (*call).whole,
	"conversation": (*call).conversation,
	"quiet":        (*call).quiet,
	"tools":        (*call).tools,
	"aborted":      (*call).aborted,
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: go BASE_URL KEY MODEL SCENARIO...")
		os.Exit(2)
	}
	for _, scenario := range os.Args[4:] {
		play := scenarios[scenario]
		if play == nil {
			fmt.Fprintf(os.Stderr, "no scenario %q\n", scenario)
			os.Exit(2)
		}
		c := newCall(os.Args[1], os.Args[2], os.Args[3], scenario)
		if err := play(c); err != nil {
			c.seen.Error = describe(err)
		}
		c.cancel()
		c.seen.Text = strings.Join(c.seen.Texts, "")
		if err := json.NewEncoder(os.Stdout).Encode(c.seen); err != nil {
			os.Exit(1)
		}
	}
}

func newCall(baseURL, key, model, scenario string) *call {
	c := &call{baseURL: baseURL, key: key, model: model, prompt: usual, seen: outcome{Scenario: scenario}}
	if p := prompts[scenario]; p != "" {
		c.prompt = p
	}
	if scenario == "unknown" {
		c.model = nobody
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.client = openai.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey(key), option.WithMaxRetries(0))
	return c
}

func (c *call) ask() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: c.model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(c.prompt)}}
}

func (c *call) stream(params openai.ChatCompletionNewParams, each func()) error {
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := c.client.Chat.Completions.NewStreaming(c.ctx, params)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			return fmt.Errorf("unexpected chunk: %s", chunk.RawJSON())
		}
		c.take(chunk)
		if each != nil {
			each()
		}
	}
	return stream.Err()
}

func (c *call) take(chunk openai.ChatCompletionChunk) {
	if chunk.JSON.Usage.Valid() {
		c.seen.Usage = &chunk.Usage.TotalTokens
	}
	text := ""
	if len(chunk.Choices) > 0 {
		choice := chunk.Choices[0]
		text = choice.Delta.Content
		if choice.Delta.Role != "" {
			c.seen.Roles = append(c.seen.Roles, choice.Delta.Role)
		}
		if choice.FinishReason != "" {
			c.seen.Finish = choice.FinishReason
		}
	}
	if text == "" {
		c.seen.Beats++
		return
	}
	c.seen.Texts = append(c.seen.Texts, text)
}

func (c *call) whole() error {
	answer, err := c.client.Chat.Completions.New(c.ctx, c.ask())
	if err != nil {
		return err
	}
	choice := answer.Choices[0]
	c.seen.Roles, c.seen.Texts, c.seen.Finish = []string{string(choice.Message.Role)}, []string{choice.Message.Content}, choice.FinishReason
	if answer.JSON.Usage.Valid() {
		c.seen.Usage = &answer.Usage.TotalTokens
	}
	models := c.client.Models.ListAutoPaging(c.ctx)
	for models.Next() {
		c.seen.Models = append(c.seen.Models, models.Current().ID)
	}
	return models.Err()
}

// conversation sends the whole conversation with every turn, as chat programs do.
func (c *call) conversation() error {
	messages := []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief.")}
	for _, prompt := range []string{"Who am I?", "And now?"} {
		messages = append(messages, openai.UserMessage(prompt))
		answer, err := c.client.Chat.Completions.New(c.ctx, openai.ChatCompletionNewParams{
			Model: c.model, Messages: messages, Store: openai.Bool(false), Metadata: map[string]string{"a": "b"},
		})
		if err != nil {
			return err
		}
		messages = append(messages, answer.Choices[0].Message.ToParam())
		c.seen.Texts = append(c.seen.Texts, answer.Choices[0].Message.Content)
	}
	return nil
}

func (c *call) tools() error {
	params := c.ask()
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name: "weather", Description: openai.String("Tell the weather"), Parameters: openai.FunctionParameters{"type": "object", "properties": map[string]any{}},
	})}
	params.ToolChoice.OfAuto = openai.String("auto")
	return c.stream(params, nil)
}

func (c *call) quiet() error {
	signs, aside := 0, make(chan error, 1)
	err := c.stream(c.ask(), func() {
		if signs++; signs == enough {
			go func() { aside <- c.goOn() }()
		}
	})
	return errors.Join(err, <-aside)
}

// goOn prompts another agent. That prompt releases the agent that this client is waiting for.
func (c *call) goOn() error {
	body := `{"model":"bullpen/aside","messages":[{"role":"user","content":"Go on."}]}`
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.baseURL+"/chat/completions", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// aborted cancels the request after the first piece of text.
func (c *call) aborted() error {
	err := c.stream(c.ask(), func() {
		if len(c.seen.Texts) > 0 {
			c.cancel()
		}
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func describe(err error) *words {
	var status *openai.Error
	var broken *ssestream.StreamError
	switch {
	case errors.As(err, &status):
		return &words{Name: "Error", Type: status.Type, Status: status.StatusCode, Code: status.Code, Message: status.Message}
	case errors.As(err, &broken):
		var said struct {
			Error words `json:"error"`
		}
		_ = json.Unmarshal(broken.Event.Data, &said)
		said.Error.Name = "StreamError"
		return &said.Error
	}
	return &words{Name: fmt.Sprintf("%T", err), Message: err.Error()}
}
