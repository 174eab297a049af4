package responses

import (
	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Response identifies a response. Its fields, except Message, appear in the response object
// whatever its status.
type Response struct {
	ID      string
	Message string // id of the only message in the output
	Created int64  // Unix seconds
	Model   string
	Request *Request
}

// object is OpenAI's response object.
type object struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	CreatedAt    int64             `json:"created_at"`
	Status       string            `json:"status"`
	Background   bool              `json:"background"`
	Error        *failure          `json:"error"`
	Incomplete   *incomplete       `json:"incomplete_details"`
	Instructions *string           `json:"instructions"`
	Metadata     map[string]string `json:"metadata"`
	Model        string            `json:"model"`
	Output       []output          `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Reasoning    reasons           `json:"reasoning"`
	Store        bool              `json:"store"`
	Temperature  *float64          `json:"temperature"`
	Text         textConfig        `json:"text"`
	ToolChoice   string            `json:"tool_choice"`
	Tools        []struct{}        `json:"tools"`
	TopP         *float64          `json:"top_p"`
	Truncation   string            `json:"truncation"`
	Usage        *tokens           `json:"usage"`
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type reasons struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

type textConfig struct {
	Format struct {
		Type string `json:"type"`
	} `json:"format"`
}

// output is the message in a response's output.
type output struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Role    string       `json:"role"`
	Content []outputText `json:"content"`
}

type outputText struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

type tokens struct {
	Input        int64 `json:"input_tokens"`
	InputDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

// tokensOf returns the usage, or nil if the agent reported none, because unknown usage is not zero
// usage. Reasoning tokens are included in the output tokens; their number is not known separately.
func tokensOf(u contracts.Usage) *tokens {
	if !u.Reported() {
		return nil
	}
	in := u.TokensIn + u.CacheRead + u.CacheWrite
	t := &tokens{Input: in, Output: u.TokensOut, Total: in + u.TokensOut}
	t.InputDetails.Cached = u.CacheRead
	return t
}

// with returns the response with this status and no output.
func (r Response) with(status string) *object {
	o := &object{
		ID: r.ID, Object: "response", CreatedAt: r.Created, Status: status, Metadata: map[string]string{}, Model: r.Model, Output: []output{},
		Store: r.Request.Store, ToolChoice: "auto", Tools: []struct{}{}, Truncation: "disabled",
	}
	o.Text.Format.Type = "text"
	if r.Request.Instructions != "" {
		o.Instructions = &r.Request.Instructions
	}
	if r.Request.Previous != "" {
		o.Previous = &r.Request.Previous
	}
	return o
}

// message returns the message in the output, with one part for each text.
func (r Response) message(status string, texts ...string) output {
	m := output{ID: r.Message, Type: typeMessage, Status: status, Role: "assistant", Content: []outputText{}}
	for _, text := range texts {
		m.Content = append(m.Content, newText(text))
	}
	return m
}

func newText(text string) outputText {
	return outputText{Type: "output_text", Text: text, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

// answered returns the response with an answer: incomplete if the answer was cut off, else
// completed.
func (r Response) answered(a drive.Answer) *object {
	status := "completed"
	if a.Cut {
		status = "incomplete"
	}
	o := r.with(status)
	o.Output, o.Usage = []output{r.message(status, a.Text)}, tokensOf(a.Usage)
	if a.Cut {
		o.Incomplete = &incomplete{Reason: "max_output_tokens"}
	}
	return o
}

// Whole returns the response with an answer, as JSON.
func (r Response) Whole(a drive.Answer) ([]byte, error) { return completion.Encode(r.answered(a)) }
