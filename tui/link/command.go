package link

import (
	"context"
	"errors"
	"time"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

// CodeOffline is a Reply's code if there is no connection or the outcome of the command is unknown.
const CodeOffline contracts.ErrorCode = "OFFLINE"

// Reply is the office's answer to a command, or the reason there is none.
type Reply struct {
	OK         bool
	Seq        uint64
	Duplicate  bool
	Result     contracts.Result
	Code       contracts.ErrorCode
	Message    string
	Field      string
	RetryAfter time.Duration
}

// Do sends a command and waits for the reply, which may be a refusal. The code is CodeOffline if
// there is no connection or the outcome is unknown.
func (l *Link) Do(ctx context.Context, data contracts.CommandData) Reply {
	if l.State().Phase != Live {
		return Reply{Code: CodeOffline, Message: contracts.SayNothingSent}
	}
	ack, err := l.office.Do(ctx, data)
	if err == nil {
		return Reply{OK: true, Seq: ack.Seq, Duplicate: ack.Duplicate, Result: ack.Result}
	}
	var refusal *contracts.Refusal
	var long *client.TooLongError
	switch {
	case errors.Is(err, client.ErrUnanswered):
		return Reply{Code: CodeOffline, Message: "The terminal is closing. The office may not have received your last command."}
	case errors.Is(err, client.ErrBusy):
		return Reply{Code: contracts.CodeRateLimited, Message: "Too many commands are waiting for a response. Nothing was sent; try again in a moment."}
	case errors.Is(err, client.ErrHistory):
		return Reply{Code: CodeOffline, Message: contracts.SayOfficeReset}
	case errors.Is(err, context.Canceled):
		return Reply{Code: CodeOffline, Message: "The terminal is closing."}
	case errors.As(err, &long):
		return Reply{Code: contracts.CodeValidationFailed, Message: "Your message is too long to send. Shorten it and try again."}
	case client.Final(err):
		return Reply{Code: CodeOffline, Message: l.words(err)}
	case errors.As(err, &refusal):
		return Reply{Code: refusal.Code, Message: refusal.Message, Field: refusal.Field, RetryAfter: time.Duration(refusal.RetryAfterMS) * time.Millisecond}
	}
	return Reply{Code: CodeOffline, Message: l.words(err)}
}
