package watch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// Problem describes why a gateway is not connected and what to do about it.
type Problem struct {
	Saw string
	Do  string

	slow      bool          // only a person can fix the problem: retry slowly
	temporary bool          // the gateway is reachable, but busy or starting
	after     time.Duration // delay that the gateway requests
	cause     error
}

func (p *Problem) Error() string { return p.Saw }

// Unwrap returns the original error.
func (p *Problem) Unwrap() error { return p.cause }

const remedyToken = "get the token with `openclaw config get gateway.auth.token` and pass it with --openclaw-token-file FILE or OPENCLAW_GATEWAY_TOKEN"

// explain converts an error to a readable problem that names the gateway.
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
		p.Saw, p.Do, p.slow = fmt.Sprintf("the gateway %s uses protocol version %d, but Bullpen supports version %d", gateway, protocol.theirs, translate.Protocol), "update Bullpen or OpenClaw so that both use the same protocol version", true
	case errors.As(err, &status), errors.Is(err, errNotGateway), errors.Is(err, socket.ErrNotSocket), errors.Is(err, socket.ErrProtocol):
		p.Saw, p.Do, p.slow = fmt.Sprintf("%s is not an OpenClaw gateway: %s", gateway, strings.TrimPrefix(err.Error(), errNotGateway.Error()+": ")), "check the address passed with --openclaw", true
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		p.Saw, p.Do, p.temporary = fmt.Sprintf("the gateway %s does not respond", gateway), "check it with `openclaw gateway status`", true
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.Saw, p.Do, p.temporary = fmt.Sprintf("the connection to the gateway %s was lost", gateway), "check it with `openclaw gateway status`", true
	default:
		p.Saw, p.Do = fmt.Sprintf("the gateway %s is not reachable: %v", gateway, err), "start it with `openclaw gateway run`, or check the address"
		p.temporary = errors.As(err, &closed)
	}
	p.Saw = contracts.Clip(contracts.CleanLine(p.Saw), contracts.LimitNote)
	return p
}

// refusal sets the reason and the remedy for a rejected connection in p.
func refusal(p *Problem, gateway string, e *translate.Error) {
	p.Saw, p.slow = fmt.Sprintf("the gateway %s rejected the connection: %v", gateway, e), true
	switch code := e.Details.Code; {
	case code == "PROTOCOL_MISMATCH":
		p.Saw = fmt.Sprintf("the gateway %s uses protocol version %d, but Bullpen supports version %d", gateway, e.Details.ExpectedProtocol, translate.Protocol)
		p.Do = "update Bullpen or OpenClaw so that both use the same protocol version"
	case code == "AUTH_TOKEN_MISSING":
		p.Saw, p.Do = fmt.Sprintf("the gateway %s requires a token", gateway), remedyToken
	case code == "AUTH_TOKEN_MISMATCH", code == "AUTH_DEVICE_TOKEN_MISMATCH":
		p.Saw, p.Do = fmt.Sprintf("the gateway %s rejected the token", gateway), remedyToken
	case code == "PAIRING_REQUIRED", e.Code == "NOT_PAIRED":
		p.Saw = fmt.Sprintf("the gateway %s requires this device to be paired", gateway)
		p.Do = "on the gateway's machine, run `openclaw devices list` and approve this device with `openclaw devices approve " + contracts.CleanLine(e.Details.RequestID) + "`"
	case e.Retryable || e.Code == "UNAVAILABLE":
		p.slow, p.temporary, p.after = false, true, time.Duration(max(e.RetryAfterMS, 0))*time.Millisecond
		p.Saw, p.Do = fmt.Sprintf("the gateway %s is not ready yet: %s", gateway, e.Message), "wait; Bullpen retries automatically"
	default:
		p.Do = "check the gateway's log with `openclaw logs`"
	}
}
