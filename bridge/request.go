package bridge

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// request is what we read of a chat completion request. Tools are accepted and
// left to the agent, which uses its own.
type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	User string `json:"user"`
	N    int    `json:"n"`
}

type message struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

// part is one piece of a message whose content is a list.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// readRequest reads a body strictly as JSON, but takes members it does not know.
func readRequest(r *http.Request) (*request, *problem) {
	body, err := io.ReadAll(io.LimitReader(r.Body, contracts.LimitBody+1))
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return nil, badRequest("", "The body could not be read: %v.", err)
	}
	if large != nil || len(body) > contracts.LimitBody {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, Type: typeInvalid, Code: "request_too_large",
			Message: fmt.Sprintf("The body has more than %d bytes.", contracts.LimitBody)}
	}
	var req request
	if err := json.Unmarshal(body, &req, jsontext.AllowDuplicateNames(false)); err != nil {
		param, why := misread(err)
		return nil, badRequest(param, "The body is not a chat completion request in JSON: %s.", why)
	}
	if req.N > 1 {
		return nil, badRequest("n", "An agent gives one answer. Leave n out.")
	}
	if len(req.Messages) == 0 {
		return nil, badRequest("messages", "There are no messages. Send at least one with the role user.")
	}
	return &req, nil
}

// text is the content of a message as text; parts that are no text are left out.
func (m *message) text() (string, bool) {
	var whole string
	if json.Unmarshal(m.Content, &whole) == nil {
		return whole, true
	}
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil {
		return "", false
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" || p.Type == "input_text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n"), true
}

// userText is what the person said last, past the envelopes of the caller, and
// whether the caller says that it tries again.
func (req *request) userText() (text string, again bool, no *problem) {
	fromOpenClaw := false
	for i := range req.Messages {
		if text, ok := req.Messages[i].text(); ok && strings.Contains(text, openclawContext) {
			fromOpenClaw = true
		}
	}
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := &req.Messages[i]
		if m.Role != "user" {
			continue
		}
		text, ok := m.text()
		if !ok {
			return "", false, badRequest(fmt.Sprintf("messages.%d.content", i), "The content is neither a text nor a list of parts.")
		}
		if fromOpenClaw {
			text, again = openclawText(text)
		}
		if text = strings.TrimSpace(contracts.CleanText(text)); text == "" {
			continue
		}
		if len(text) > contracts.LimitPrompt {
			return "", false, badRequest(fmt.Sprintf("messages.%d.content", i), "The message has more than %d bytes.", contracts.LimitPrompt)
		}
		return text, again, nil
	}
	return "", false, badRequest("messages", "No message of the role user has a text.")
}
