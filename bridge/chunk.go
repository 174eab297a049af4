package bridge

import (
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// response writes the answer for one caller.
type response struct {
	bridge  *Bridge
	turn    *turn.Turn
	id      string
	created int64
	model   string
	usage   bool // the caller asked for a usage chunk
	whole   bool // send the whole answer as one content delta (seed 002)

	w    http.ResponseWriter
	head []byte // start of a text frame; encoded once, because only the text differs
	buf  []byte // reused between frames

	unsent bool // frames were written since the last flush
}

// chunk is OpenAI's chat.completion.chunk or chat.completion.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *tokens  `json:"usage,omitzero"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        *delta  `json:"delta,omitzero"`
	Message      *reply  `json:"message,omitzero"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitzero"`
	Content *string `json:"content,omitzero"`
}

type reply struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type tokens struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// tokensOf returns the usage in OpenAI's format, nil if the agent reported none: unknown is not
// zero.
func tokensOf(u contracts.Usage) *tokens {
	if u == (contracts.Usage{Model: u.Model}) {
		return nil
	}
	in := u.TokensIn + u.CacheRead + u.CacheWrite
	return &tokens{Prompt: in, Completion: u.TokensOut, Total: in + u.TokensOut}
}

// finish returns the finish_reason of an answer: "length" if it was cut off, else "stop".
func finish(a drive.Answer) *string {
	reason := "stop"
	if a.Cut {
		reason = "length"
	}
	return &reason
}

// answer waits for the whole answer and sends it as one chat.completion, or sends an error.
func (c *response) answer(ctx context.Context, w http.ResponseWriter) {
	quiet := func() error { return nil }
	if followAll(ctx, c.turn, c.bridge.cfg.Heartbeat, func(string) error { return nil }, quiet, quiet) != nil {
		return // the caller disconnected
	}
	answer, err := c.turn.Result()
	if err != nil {
		asProblem(err).write(w)
		return
	}
	body, err := json.Marshal(chunk{
		ID: c.id, Object: "chat.completion", Created: c.created, Model: c.model, Usage: tokensOf(answer.Usage),
		Choices: []choice{{Message: &reply{Role: "assistant", Content: answer.Text}, FinishReason: finish(answer)}},
	})
	if err != nil {
		asProblem(err).write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(append(body, '\n'))
}

// stream sends the role immediately, text as it arrives, and an empty delta at every heartbeat. It
// ends with [DONE], unless the caller disconnects.
func (c *response) stream(ctx context.Context, w http.ResponseWriter) {
	c.w = w
	startStream(w)
	if c.send(delta{Role: "assistant", Content: new(string)}, nil) != nil {
		return
	}
	say := c.say
	live := say
	if c.whole {
		live = func(string) error { return nil }
	}
	if followAll(ctx, c.turn, c.bridge.cfg.Heartbeat, live, func() error { return say("") }, c.flush) != nil {
		return
	}
	answer, err := c.turn.Result()
	if err != nil {
		_ = c.event(asProblem(err).body())
		_ = c.event([]byte("[DONE]"))
		return
	}
	if c.whole && say(answer.Text) != nil || c.send(delta{}, finish(answer)) != nil {
		return
	}
	if used := tokensOf(answer.Usage); c.usage && used != nil {
		_ = c.write(chunk{Choices: []choice{}, Usage: used})
	}
	_ = c.event([]byte("[DONE]"))
}

// startStream sends the response headers of a server-sent event stream.
func startStream(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// textTail is the end of a text frame, after head and the quoted text.
const textTail = `},"finish_reason":null}]}` + "\n\n"

// say sends a piece of the answer as one frame, identical to an encoded chunk.
func (c *response) say(text string) (err error) {
	if c.head == nil {
		empty := ""
		whole, err := json.Marshal(c.fill(chunk{Choices: []choice{{Delta: &delta{Content: &empty}}}}))
		if err != nil {
			return err
		}
		c.head = append([]byte("data: "), whole[:len(whole)-len(`""`+textTail)+len("\n\n")]...)
	}
	if c.buf, err = jsontext.AppendQuote(append(c.buf[:0], c.head...), text); err != nil {
		return err
	}
	c.buf = append(c.buf, textTail...)
	return c.frame(c.buf)
}

func (c *response) send(d delta, finish *string) error {
	return c.write(chunk{Choices: []choice{{Delta: &d, FinishReason: finish}}})
}

func (c *response) write(k chunk) error {
	body, err := json.Marshal(c.fill(k))
	if err != nil {
		return err
	}
	return c.event(body)
}

// fill adds the fields that all chunks of a stream share.
func (c *response) fill(k chunk) chunk {
	k.ID, k.Object, k.Created, k.Model = c.id, "chat.completion.chunk", c.created, c.model
	return k
}

// event sends one server-sent event.
func (c *response) event(data []byte) error {
	return c.frame(append(append([]byte("data: "), data...), '\n', '\n'))
}

// frame writes one frame to the response, which sends it with the next flush or at its end.
func (c *response) frame(frame []byte) error {
	c.unsent = true
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(contracts.WriteTimeout))
	_, err := c.w.Write(frame)
	return err
}

// flush sends the frames written since the last flush.
func (c *response) flush() error {
	if !c.unsent {
		return nil
	}
	c.unsent = false
	return http.NewResponseController(c.w).Flush()
}
