package translate

import (
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// Protocol is the supported version of the gateway protocol.
const Protocol = 4

// Frame is one message from a gateway: the response to a request, or an event.
type Frame struct {
	Type    string         `json:"type"` // res or event
	ID      string         `json:"id"`
	OK      bool           `json:"ok"`
	Payload jsontext.Value `json:"payload"`
	Error   *Error         `json:"error"`
	Event   string         `json:"event"`
}

// Error is an error response from the gateway.
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

// ParseFrame decodes one message. It returns an error if the message is neither a response nor an
// event.
func ParseFrame(data []byte) (f Frame, err error) {
	if _, err := hud.Decode(data, &f); err != nil {
		return Frame{}, fmt.Errorf("decode a gateway frame: %w", err)
	}
	if f.Type != "res" && f.Type != "event" {
		return Frame{}, errors.New("decode a gateway frame: neither a response nor an event")
	}
	return f, nil
}

// Decode decodes a payload as leniently as ParseFrame decodes frames: it ignores members with an
// unexpected type.
func Decode(payload jsontext.Value, into any) error {
	if len(payload) == 0 {
		return errors.New("no payload")
	}
	_, err := hud.Decode(payload, into)
	return err
}
