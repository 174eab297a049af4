package watch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// Problem is why a gateway is not followed now, and what to do about it.
type Problem struct {
	Saw string
	Do  string

	slow    bool          // only a person can mend it: trying often is no use
	passing bool          // it is there, and busy or about to be ready
	after   time.Duration // when the gateway wants to be asked again
	cause   error
}

func (p *Problem) Error() string { return p.Saw }

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.cause }

const remedyToken = "give the token of `openclaw config get gateway.auth.token` with --openclaw-token-file FILE or OPENCLAW_GATEWAY_TOKEN"

// explain puts what went wrong into words. The gateway's name is in all of them.
func explain(gateway string, err error) *Problem {
	p := &Problem{cause: err}
	var refused *translate.Error
	var protocol *wrongProtocol
	var status socket.StatusError
	var timeout net.Error
	var closed *socket.CloseError
	switch {
	case errors.As(err, &refused):
		refusal(p, gateway, refused)
	case errors.As(err, &protocol):
		p.Saw, p.Do, p.slow = fmt.Sprintf("the gateway %s: %v", gateway, protocol), "update Bullpen or OpenClaw, so that both speak the same protocol", true
	case errors.As(err, &status), errors.Is(err, errNotGateway), errors.Is(err, socket.ErrNotSocket), errors.Is(err, socket.ErrProtocol):
		p.Saw, p.Do, p.slow = fmt.Sprintf("whatever answers at %s is no OpenClaw gateway: %v", gateway, err), "check the address after --openclaw", true
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		p.Saw, p.Do, p.passing = fmt.Sprintf("the gateway %s gives no sign of life", gateway), "look after it with `openclaw gateway status`", true
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.Saw, p.Do, p.passing = fmt.Sprintf("the connection to the gateway %s broke", gateway), "look after it with `openclaw gateway status`", true
	default:
		p.Saw, p.Do = fmt.Sprintf("the gateway %s is not reachable: %v", gateway, err), "start it with `openclaw gateway run`, or check the address"
		p.passing = errors.As(err, &closed)
	}
	p.Saw = contracts.Clip(contracts.CleanLine(p.Saw), contracts.LimitNote)
	return p
}

// refusal reads why a gateway does not let us in.
func refusal(p *Problem, gateway string, e *translate.Error) {
	p.Saw, p.slow = fmt.Sprintf("the gateway %s refuses: %v", gateway, e), true
	switch code := e.Details.Code; {
	case code == "PROTOCOL_MISMATCH":
		p.Saw = fmt.Sprintf("the gateway %s speaks protocol %d, Bullpen speaks %d", gateway, e.Details.ExpectedProtocol, translate.Protocol)
		p.Do = "update Bullpen or OpenClaw, so that both speak the same protocol"
	case code == "AUTH_TOKEN_MISSING":
		p.Saw, p.Do = fmt.Sprintf("the gateway %s wants its token", gateway), remedyToken
	case code == "AUTH_TOKEN_MISMATCH", code == "AUTH_DEVICE_TOKEN_MISMATCH":
		p.Saw, p.Do = fmt.Sprintf("the gateway %s does not take the token", gateway), remedyToken
	case code == "PAIRING_REQUIRED", e.Code == "NOT_PAIRED":
		p.Saw = fmt.Sprintf("the gateway %s waits until this device is paired", gateway)
		p.Do = "on the gateway's machine, look at `openclaw devices list` and approve it with `openclaw devices approve " + contracts.CleanLine(e.Details.RequestID) + "`"
	case e.Retryable || e.Code == "UNAVAILABLE":
		p.slow, p.passing, p.after = false, true, time.Duration(max(e.RetryAfterMS, 0))*time.Millisecond
		p.Saw, p.Do = fmt.Sprintf("the gateway %s is not ready yet: %s", gateway, e.Message), "wait: it is tried again"
	default:
		p.Do = "look into the gateway's log with `openclaw logs`"
	}
}
