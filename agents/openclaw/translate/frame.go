package translate

import (
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// Protocol is the version of the gateway's protocol that is read.
const Protocol = 4

// Frame is one message of a gateway: the answer to a request, or an event.
type Frame struct {
	Type    string         `json:"type"` // res or event
	ID      string         `json:"id"`
	OK      bool           `json:"ok"`
	Payload jsontext.Value `json:"payload"`
	Error   *Error         `json:"error"`
	Event   string         `json:"event"`
}

// Error is a refusal of the gateway.
type Error struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Retryable    bool   `json:"retryable"`
	RetryAfterMS int64  `json:"retryAfterMs"`
	Details      struct {
		Code             string `json:"code"`
		Reason           string `json:"reason"`
		MissingScope     string `json:"missingScope"`
		ExpectedProtocol int    `json:"expectedProtocol"`
		RequestID        string `json:"requestId"`
	} `json:"details"`
}

func (e *Error) Error() string {
	if e.Details.Code != "" {
		return fmt.Sprintf("%s (%s)", e.Message, e.Details.Code)
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Code)
}

// ParseFrame reads one message.
func ParseFrame(data []byte) (f Frame, err error) {
	if _, err := hud.Decode(data, &f); err != nil {
		return Frame{}, fmt.Errorf("read a frame of the gateway: %w", err)
	}
	if f.Type != "res" && f.Type != "event" {
		return Frame{}, errors.New("read a frame of the gateway: it is neither an answer nor an event")
	}
	return f, nil
}

// Decode reads a payload as leniently as frames are read: a gateway is no place to
// be strict about.
func Decode(payload jsontext.Value, into any) error {
	if len(payload) == 0 {
		return errors.New("there is no payload")
	}
	_, err := hud.Decode(payload, into)
	return err
}
