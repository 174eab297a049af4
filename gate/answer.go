package gate

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// contentPolicy allows only Bullpen's own files, and images from data and blob URLs. It allows no
// inline script or style, no frame and no other server. Text becomes markup only through the
// client's one trusted-types policy, which its Markdown renderer uses.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types bullpen-markdown"

func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refusal is the response to a request that the gate refuses.
type refusal struct {
	status int
	body   contracts.Refusal
}

func newRefusal(status int, code contracts.ErrorCode, message string) *refusal {
	return &refusal{status: status, body: contracts.Refusal{Code: code, Message: message}}
}

func tooMany(w http.ResponseWriter, wait time.Duration, message string) *refusal {
	seconds := int64((wait + time.Second - 1) / time.Second)
	w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	r := newRefusal(http.StatusTooManyRequests, contracts.CodeRateLimited, message)
	r.body.RetryAfterMS = wait.Milliseconds()
	return r
}

func (g *Gate) noteRefusal(r *http.Request, p peer, why *refusal) {
	g.cfg.Log.Debug("request refused", "status", why.status, "method", r.Method, "path", r.URL.Path, "peer", p.addr, "reason", why.body.Message)
	if g.cfg.OnRefused != nil {
		g.cfg.OnRefused(why.status, why.body.Code)
	}
}

func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, p peer, why *refusal) {
	g.noteRefusal(r, p, why)
	if r.ContentLength != 0 && r.Header.Get("Upgrade") == "" {
		w.Header().Set("Connection", "close") // close the connection instead of reading an unused body
		if why.status == http.StatusRequestEntityTooLarge {
			drain(w, r)
		}
	}
	signedOut := why.status == http.StatusUnauthorized || why.status == http.StatusTooManyRequests && r.URL.Path == OpenPath
	if signedOut && isNavigation(r) {
		problem := ""
		if r.URL.Path == OpenPath {
			problem = why.body.Message
		}
		answerSignIn(w, why.status, problem, r.URL.RequestURI())
		return
	}
	switch {
	case isAnthropicPath(r.URL.Path):
		Answer(w, why.status, AnthropicError(why.status, why.body.Message))
		return
	case isOpenAIPath(r.URL.Path) || g.unknown(r):
		answerOpenAI(w, why)
		return
	}
	Answer(w, why.status, &why.body)
}

// drain discards a bounded part of a body. Otherwise, a client that is still writing when the
// connection closes would see the close instead of the response.
func drain(w http.ResponseWriter, r *http.Request) {
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(contracts.DrainTimeout)) == nil {
		_, _ = io.CopyN(io.Discard, r.Body, contracts.LimitDrain)
	}
}

// isOpenAIPath reports whether a path belongs to the OpenAI protocol.
func isOpenAIPath(path string) bool {
	return path == CompletionsPath || path == ResponsesPath || path == ModelsPath || strings.HasPrefix(path, ModelsPath+"/")
}

// isAnthropicPath reports whether a path belongs to the Anthropic protocol.
func isAnthropicPath(path string) bool {
	return path == MessagesPath || strings.HasPrefix(path, MessagesPath+"/")
}

// AnthropicError returns a refusal in the error format of the Anthropic protocol.
func AnthropicError(status int, message string) any {
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	return struct {
		Type      string  `json:"type"`
		Error     detail  `json:"error"`
		RequestID *string `json:"request_id"`
	}{Type: "error", Error: detail{anthropicType(status), message}}
}

// anthropicType returns the error type that Anthropic's clients expect for a status.
func anthropicType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable:
		return "overloaded_error"
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}

// answerOpenAI refuses a request in the error format of the OpenAI protocol.
func answerOpenAI(w http.ResponseWriter, why *refusal) {
	kind, code := "invalid_request_error", string(why.body.Code)
	switch why.status {
	case http.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case http.StatusUnauthorized:
		code = "invalid_api_key"
	case http.StatusNotFound:
		code = "unknown_url"
	case http.StatusMethodNotAllowed:
		code = "method_not_allowed"
	case http.StatusRequestEntityTooLarge:
		code = "request_too_large" // the bridge's code for a body of unknown length
	}
	Answer(w, why.status, map[string]any{"error": map[string]string{"message": why.body.Message, "type": kind, "code": code}})
}

// Answer writes a value as JSON. Refusals have the same shape at every endpoint:
// {"code","message","field"?}.
func Answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"code":"INTERNAL","message":"the response could not be encoded"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// Refuse answers with an HTTP status and a refusal as JSON.
func Refuse(w http.ResponseWriter, status int, code contracts.ErrorCode, format string, args ...any) {
	Answer(w, status, contracts.Refuse(code, format, args...))
}
