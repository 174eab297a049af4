package contracts

import (
	"cmp"
	"fmt"
	"strings"
)

// ErrorCode is the machine-readable reason in an `error` message.
type ErrorCode string

// Error codes. The first five are in the order of the checks that produce them.
const (
	CodeNotAllowed         ErrorCode = "NOT_ALLOWED"
	CodeRateLimited        ErrorCode = "RATE_LIMITED"
	CodeValidationFailed   ErrorCode = "VALIDATION_FAILED"
	CodeNotFound           ErrorCode = "NOT_FOUND"
	CodeConflict           ErrorCode = "CONFLICT"
	CodeInternal           ErrorCode = "INTERNAL"
	CodeVersionUnsupported ErrorCode = "PROTOCOL_VERSION_UNSUPPORTED"
)

// CloseCode is a WebSocket close code that the server sends.
type CloseCode uint16

// Close codes. Reconnects reports whether a client may reconnect after a code.
const (
	CloseGoingAway         CloseCode = 1001
	CloseFraming           CloseCode = 1002
	CloseBinary            CloseCode = 1003
	CloseNotUTF8           CloseCode = 1007
	ClosePolicy            CloseCode = 1008
	CloseTooBig            CloseCode = 1009
	CloseOverloaded        CloseCode = 1013
	CloseHeartbeat         CloseCode = 4000
	CloseHelloTimeout      CloseCode = 4001
	CloseVersion           CloseCode = 4002
	CloseRevoked           CloseCode = 4003
	CloseSlowConsumer      CloseCode = 4008
	CloseViolations        CloseCode = 4009
	CloseReplaced          CloseCode = 4010
	CloseInsufficientState CloseCode = 4011
)

// Reconnects reports whether a client may reconnect after this close code.
func (c CloseCode) Reconnects() bool {
	switch c {
	case CloseGoingAway, CloseOverloaded, CloseHeartbeat, CloseSlowConsumer, CloseReplaced, CloseInsufficientState:
		return true
	}
	return false
}

// ResumeReason is the outcome of a resume request (W9).
type ResumeReason string

// Outcomes of a resume request.
const (
	ResumeCursorOK          ResumeReason = "CURSOR_OK"
	ResumeCursorStale       ResumeReason = "CURSOR_STALE"
	ResumeCursorUnknown     ResumeReason = "CURSOR_UNKNOWN"
	ResumeReplayUnavailable ResumeReason = "REPLAY_UNAVAILABLE"
	ResumeServerRestarted   ResumeReason = "SERVER_RESTARTED"
)

// Refusal explains why a message or command was not executed. It is an error in Go and the payload
// of an `error` message for clients.
type Refusal struct {
	Code         ErrorCode `json:"code"`
	Message      string    `json:"message"`
	Field        string    `json:"field,omitzero"`
	RetryAfterMS int64     `json:"retry_after_ms,omitzero"`
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Code, r.Message) }

// Refuse returns a refusal whose message states what happened and what to do.
func Refuse(code ErrorCode, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// FieldPath is the Field of a NOT_FOUND refusal for an endpoint that the server does not have;
// refusals for a missing row have no field.
const FieldPath = "path"

// RefuseField returns a VALIDATION_FAILED refusal that names the invalid field.
func RefuseField(field, format string, args ...any) *Refusal {
	return &Refusal{Code: CodeValidationFailed, Message: fmt.Sprintf(format, args...), Field: field}
}

// limitChoices is the maximum number of existing ids that a refusal suggests.
const limitChoices = 5

// RefuseUnknown returns a NOT_FOUND refusal for an id that does not exist. It suggests the newest
// of ids, which are sorted oldest first; label describes what the ids have in common.
func RefuseUnknown(noun, id, label string, ids []string) *Refusal {
	more := ""
	if extra := len(ids) - limitChoices; extra > 0 {
		ids, more = ids[extra:], fmt.Sprintf(" and %d more", extra)
	}
	return Refuse(CodeNotFound, "no %s %q (%s: %s%s)", noun, id, label, cmp.Or(strings.Join(ids, ", "), "none"), more)
}

// RefuseWithoutOperator returns a NOT_ALLOWED refusal for an action, such as "adding a repository",
// that requires the operator credential.
func RefuseWithoutOperator(action string) *Refusal {
	return Refuse(CodeNotAllowed, "%s requires the operator credential; sign in with `bullpen open`, or use an operator token", action)
}

// RefuseRole returns a NOT_ALLOWED refusal for a credential whose role (has) is not among the
// accepted roles (needs).
func RefuseRole(has AccessRole, needs ...AccessRole) *Refusal {
	names := make([]string, len(needs))
	for i, role := range needs {
		names[i] = string(role)
	}
	return Refuse(CodeNotAllowed, "this needs %s token, not %s token", withArticle(strings.Join(names, " or ")), withArticle(string(has)))
}
