package completion

import "fmt"

// Error is an invalid or unsupported member of a request.
type Error struct {
	Param   string
	Code    string // one of OpenAI's; default invalid_value
	Message string
}

func (e *Error) Error() string { return e.Message }

func invalid(param, format string, args ...any) *Error {
	return &Error{Param: param, Code: "invalid_value", Message: fmt.Sprintf(format, args...)}
}

func unsupported(param, format string, args ...any) *Error {
	return &Error{Param: param, Code: "unsupported_parameter", Message: fmt.Sprintf(format, args...)}
}
