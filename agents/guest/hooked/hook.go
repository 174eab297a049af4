// Package hooked implements guest.Session for programs whose reports, from hooks or from lines of
// session files, fit into one type. A vendor decodes the reports into Hook; everything else is the
// same for all vendors.
//
// It guarantees that a call never ends with another call's result. A result is matched to its call
// by the call's id or, if the vendor sends no ids, by the tool and the input. A call or turn whose
// end was not reported is shown as such.
//
// The package is pure.
package hooked

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Kind is what a hook reports.
type Kind int

// Kinds of hooks. The zero value shows only that the agent is present.
const (
	Present      Kind = iota
	SessionStart      // Source is the cause
	SessionEnd        // Reason is the cause
	Prompt            // Text is the prompt; a hook without Text only shows that the agent is working
	ToolStart
	ToolEnd     // Result is what the call returned
	Permission  // the hook waits until people answer, if Answers is set
	Waiting     // the terminal is waiting for a person; Text describes what it is waiting for
	TurnEnd     // Text is the answer
	TurnFailure // Reason is the cause
	Interrupt   // a person stopped the turn
	Working     // the agent is working; Text, unless empty, describes the work
	Said        // Text is what the agent said; if the end of the turn reports no answer, the newest Text is the answer
)

// Hook is one decoded report from a program. Event and SessionID are required.
type Hook struct {
	Kind      Kind
	Event     string // the vendor's name for the event
	SessionID string
	Sent      string // the hook's timestamp in the vendor's format; distinguishes hooks with the same content
	Cwd       string
	Model     string

	Turn   string // the vendor's id for the turn; if empty, an id is derived
	CallID string // the vendor's id for the call; if empty, an id is derived
	Call   hud.Call
	Result func(hud.Call) hud.Result // set on ToolEnd
	Stops  bool                      // set on ToolEnd: a person stopped the turn

	Text, Source, Reason string

	// KeepsQuestions means that open questions stay open. Otherwise, a hook that shows that the
	// agent has continued closes the question about the call with the id Replied, or all questions
	// if Replied is empty.
	KeepsQuestions bool
	Replied        string

	// Answers encodes a person's verdict in the vendor's format. nil means that the vendor accepts
	// no answer.
	Answers func(allow bool, message string) []byte

	PID        int // the program's process id, added by `bullpen hook`
	PIDStart   int64
	Mismatched []string // JSON members that were ignored because they have an unexpected type
}

// Head returns the fields that all vendors' hooks have in common.
func (h *Hook) Head() guest.HookHead {
	return guest.HookHead{
		Event: h.Event, Session: h.SessionID, Tool: h.Call.Tool, PID: h.PID, PIDStart: h.PIDStart, Mismatched: h.Mismatched,
		Asks:      h.Kind == Permission && h.Answers != nil && h.Call.Tool != "" && len(h.Mismatched) == 0,
		Continued: h.Kind == Prompt || h.Kind == TurnEnd || h.Kind == TurnFailure || h.Kind == Interrupt || h.Kind == SessionEnd || h.Stops,
		Ends:      h.Kind == SessionEnd,
	}
}

// Answer returns the response to a permission request. nil means that there is no answer, so the
// program asks in its terminal.
func (h *Hook) Answer(decisions ...contracts.Decision) []byte {
	if h.Answers == nil || len(decisions) != 1 || decisions[0].Status != contracts.DecisionResolved {
		return nil
	}
	switch d := decisions[0]; d.Choice {
	case contracts.OptionAllow:
		return h.Answers(true, "")
	case contracts.OptionDeny:
		return h.Answers(false, cmp.Or(d.Note, "Denied by a person in the office."))
	}
	return nil // the choice is not one of the options: it must not allow the call
}

// Decode decodes the body of a hook into a vendor's struct. It returns the members that were
// ignored because they have an unexpected type, and an error if text is not an object.
func Decode(text []byte, into any) (mismatched []string, err error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	if mismatched, err = hud.Decode(text, into); err != nil {
		return nil, fmt.Errorf("cannot be decoded: %w", err)
	}
	return mismatched, nil
}

// Checked cleans the names and ids in h and returns h. It fails if the event or the session is
// missing. The parameters are the vendor's names for these two fields, for use in the error.
func (h *Hook) Checked(event, session string) (guest.Hook, error) {
	h.Event, h.SessionID, h.Turn, h.CallID = guest.Name(h.Event), guest.Name(h.SessionID), guest.Name(h.Turn), guest.Name(h.CallID)
	switch {
	case h.Event == "":
		return nil, errors.New("missing " + event)
	case h.SessionID == "":
		return nil, errors.New("missing " + session)
	}
	return h, nil
}
