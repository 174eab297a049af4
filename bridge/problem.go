package bridge

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/gate"
)

// The error types that OpenAI clients recognize.
const (
	typeInvalid = "invalid_request_error"
	typeServer  = "server_error"
	typeLimit   = "rate_limit_error"
)

// codeLength is the error code for a prompt that is too long for the agent to receive in full.
const codeLength = "context_length_exceeded"

// problem is an error in OpenAI's format.
type problem struct {
	status     int
	retryAfter time.Duration
	Message    string `json:"message"`
	Type       string `json:"type"`
	Param      string `json:"param,omitzero"`
	Code       string `json:"code,omitzero"`
}

func (p *problem) Error() string { return p.Message }

func badRequest(param, format string, args ...any) *problem {
	return &problem{status: http.StatusBadRequest, Type: typeInvalid, Param: param, Code: "invalid_value", Message: fmt.Sprintf(format, args...)}
}

func unavailable(format string, args ...any) *problem {
	return &problem{status: http.StatusServiceUnavailable, retryAfter: time.Second, Type: typeServer, Code: "agent_unavailable", Message: fmt.Sprintf(format, args...)}
}

func tooMany(format string, args ...any) *problem {
	return &problem{status: http.StatusTooManyRequests, retryAfter: 5 * time.Second, Type: typeLimit, Code: "rate_limit_exceeded", Message: fmt.Sprintf(format, args...)}
}

func closing() *problem { return unavailable("The office is shutting down. Try again in a moment.") }

// body returns the JSON body {"error": …}.
func (p *problem) body() []byte {
	b, err := json.Marshal(map[string]*problem{"error": p})
	if err != nil {
		return []byte(`{"error":{"message":"the error could not be encoded","type":"server_error"}}`)
	}
	return b
}

// anthropic returns the error in Anthropic's format, which has no member for a parameter.
func (p *problem) anthropic() any {
	text := p.Message
	if p.Param != "" {
		text = p.Param + ": " + text
	}
	return gate.AnthropicError(p.status, text)
}

// write responds in OpenAI's format to a request whose stream has not started.
func (p *problem) write(w http.ResponseWriter) {
	p.setRetry(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(p.status)
	_, _ = w.Write(append(p.body(), '\n'))
}

// writeAnthropic is like write, but in Anthropic's format.
func (p *problem) writeAnthropic(w http.ResponseWriter) {
	p.setRetry(w)
	gate.Answer(w, p.status, p.anthropic())
}

func (p *problem) setRetry(w http.ResponseWriter) {
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((p.retryAfter+time.Second-1)/time.Second)))
	}
}
