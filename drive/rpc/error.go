package rpc

import "github.com/go-json-experiment/json/jsontext"

// Error codes defined by JSON-RPC and the Agent Client Protocol.
const (
	CodeInvalid  = -32600
	CodeMethod   = -32601 // unknown method
	CodeParams   = -32602
	CodeInternal = -32603
	CodeSignIn   = -32000 // a person must sign in first
	CodeNotFound = -32002
)

// Error is an error that one side reports to the other.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

func (e *Error) Error() string { return e.Message }
