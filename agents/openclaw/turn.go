package openclaw

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	reader "github.com/bullpen-office/bullpen/agents/openclaw/translate"
	gateway "github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// turn is one prompt to the gateway and the run that answers it.
type turn struct {
	session *session
	client  *gateway.Client
	sink    drive.Sink
	reader  *reader.Reader
	key     string // idempotency key; also the run's id unless the session was busy

	run        string // id of the run that is working on the prompt; empty until the run has started
	open       map[string]func(any)
	thoughtEnd func()
	used       contracts.Usage

	asking sync.WaitGroup // questions waiting for a person
	write  sync.Mutex     // serializes requests
	sent   string         // id of the request with the prompt
}

// abortGrace is how long the gateway may take to confirm that a run was stopped.
const abortGrace = 3 * time.Second

type incoming struct {
	frame reader.Frame
	err   error
}

func (t *turn) exchange(ctx context.Context, p drive.Prompt) (answer drive.Answer, err error) {
	t.open = map[string]func(any){}
	asks, stopAsking := context.WithCancel(ctx)
	frames := make(chan incoming)
	gone := make(chan struct{})
	var reading sync.WaitGroup
	defer reading.Wait()
	defer close(gone)
	defer t.client.Close()
	defer t.asking.Wait()
	defer stopAsking()
	reading.Go(func() { t.read(frames, gone) })
	defer func() { answer.Usage = t.used }()
	defer t.endThinking()
	if _, err := t.send("sessions.messages.subscribe", map[string]any{"key": t.session.key}); err != nil {
		return answer, lost(err)
	}
	if t.sent, err = t.send("chat.send", map[string]any{"sessionKey": t.session.key, "message": p.Text, "idempotencyKey": t.key}); err != nil {
		return answer, lost(err)
	}
	stop := ctx.Done()
	var last <-chan time.Time
	for {
		select {
		case in := <-frames:
			if in.err != nil {
				return answer, errors.Join(ctx.Err(), lost(in.err))
			}
			text, over, err := t.take(asks, in.frame)
			if over {
				if ctx.Err() != nil {
					err = ctx.Err()
				}
				return drive.Answer{Text: text}, err
			}
		case <-stop:
			stop, last = nil, time.After(abortGrace)
			if _, err := t.send("chat.abort", map[string]any{"sessionKey": t.session.key}); err != nil {
				return answer, ctx.Err()
			}
		case <-last:
			return answer, ctx.Err()
		}
	}
}

func lost(err error) error { return fmt.Errorf("%w: %w", drive.ErrGone, err) }

func (t *turn) send(method string, params any) (string, error) {
	t.write.Lock()
	defer t.write.Unlock()
	return t.client.Send(method, params)
}

// read passes on frames until the connection or the turn ends.
func (t *turn) read(frames chan<- incoming, gone <-chan struct{}) {
	for {
		f, err := t.client.Next()
		select {
		case frames <- incoming{f, err}:
		case <-gone:
			return
		}
		if err != nil {
			return
		}
	}
}

// take handles one frame and shows its findings. over means that the turn has ended with the
// returned text or error.
func (t *turn) take(asks context.Context, f reader.Frame) (text string, over bool, err error) {
	if f.Type == "res" {
		if f.ID == t.sent && !f.OK {
			return "", true, refusal(f.Error)
		}
		return "", false, nil
	}
	e := t.event(f)
	if e == nil {
		return "", false, nil
	}
	found, err := t.reader.Event(f.Event, f.Payload, t.session.driver.cfg.Now().UnixMilli())
	if err != nil {
		t.session.driver.cfg.Log.Debug("gateway event ignored", "error", err)
	}
	for _, x := range found {
		t.show(asks, x)
	}
	switch f.Event {
	case "agent":
		t.step(e)
	case "chat":
		return t.chat(e)
	}
	return "", false, nil
}

func refusal(e *reader.Error) error {
	if e == nil {
		return errors.New("the gateway rejected the message")
	}
	return fmt.Errorf("the gateway rejected the message: %w", e)
}

// event has the relevant members of an event in our session.
type event struct {
	SessionKey   string  `json:"sessionKey"`
	RunID        string  `json:"runId"`
	Stream       string  `json:"stream"`
	Data         data    `json:"data"`
	State        string  `json:"state"`
	DeltaText    string  `json:"deltaText"`
	Message      message `json:"message"`
	ErrorMessage any     `json:"errorMessage"`
	Request      struct {
		SessionKey string `json:"sessionKey"`
	} `json:"request"`
}

type data struct {
	Phase string `json:"phase"`
	Delta string `json:"delta"`
}

func (t *turn) event(f reader.Frame) *event {
	var e event
	if reader.Decode(f.Payload, &e) != nil {
		return nil
	}
	if !strings.EqualFold(e.SessionKey, t.session.key) && !strings.EqualFold(e.Request.SessionKey, t.session.key) {
		return nil
	}
	return &e
}

// step saves the id of the run that works on the prompt: the first run that starts after the prompt
// was sent. If the session was busy, that id is not the prompt's idempotency key. step also streams
// thinking.
func (t *turn) step(e *event) {
	switch {
	case e.Stream == "lifecycle" && e.Data.Phase == "start" && t.run == "":
		t.run = e.RunID
	case e.Stream == "thinking":
		t.sink.Delta("thought", e.Data.Delta)
	}
}

// chat streams the run's text, and returns its answer or error once the run has ended.
func (t *turn) chat(e *event) (text string, over bool, err error) {
	text = e.Message.text()
	ours := e.RunID == t.run && t.run != ""
	switch {
	case e.State == "delta" && ours:
		t.sink.Delta("token", e.DeltaText)
	case e.State == "final" && (ours || e.RunID == t.key && text != ""):
		return contracts.CleanText(strings.TrimSpace(text)), true, nil
	case e.State == "aborted" && (ours || e.RunID == t.key):
		return "", true, errors.New("the run was aborted on the gateway")
	case e.State == "error" && (ours || e.RunID == t.key):
		return "", true, fmt.Errorf("the run failed on the gateway: %s", contracts.Clip(contracts.CleanLine(words(e.ErrorMessage)), contracts.LimitNote))
	}
	return "", false, nil
}
