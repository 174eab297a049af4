package completion

import "fmt"

// Error rejects a request because of an invalid or unsupported member.
type Error struct {
	Param   string
	Code    string // an OpenAI error code; default invalid_value
	Message string
}

func (e *Error) Error() string { return e.Message }

// Invalid returns the error for a member with an invalid value.
func Invalid(param, format string, args ...any) *Error {
	return &Error{Param: param, Code: "invalid_value", Message: fmt.Sprintf(format, args...)}
}

// Unsupported returns the error for a request member that the agent does not support.
func Unsupported(param, format string, args ...any) *Error {
	return &Error{Param: param, Code: "unsupported_parameter", Message: fmt.Sprintf(format, args...)}
}
