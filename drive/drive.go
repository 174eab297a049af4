// Package drive is how the office talks to a program that is an agent: a Claude
// Code process, a peer that dialled in, an agent behind a gateway.
//
// Every driver keeps this promise: a session has one turn at a time; a turn ends
// with the whole answer or with an error that says what happened and what to do;
// it returns soon after its context ends, and the program has stopped working on
// it then, as far as the program can be told; nothing reaches the sink after the
// turn has returned. A session that is closed leaves no process behind.
package drive

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
)

// ErrGone says that the agent went away in the middle of a turn.
var ErrGone = errors.New("the agent disconnected")

// ExitError says how the program of an agent ended.
type ExitError struct {
	Status string // such as "exit status 7"
	Stderr string // its redacted end; for the owner of the office, not for callers
}

func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return e.Status
	}
	return e.Status + ": " + e.Stderr
}

// ErrAbsent says that no agent can be reached at all: nothing was dispatched.
var ErrAbsent = errors.New("the agent is not connected")

// ErrUnknown says that the agent does not know the conversation that it was to go on
// with: nothing was dispatched, and another one can begin.
var ErrUnknown = errors.New("the agent does not know the conversation")

// ErrTooLong says that the agent does not take a prompt of this length.
var ErrTooLong = errors.New("the message is too long for this agent")

// ErrMalformed says that the agent answered with something other than it was asked for:
// it may be asked once more.
var ErrMalformed = errors.New("invalid answer")

// ErrCannot means that the agent cannot accept part of the prompt. Nothing was
// dispatched.
var ErrCannot = errors.New("the agent does not support this")

// Spec says whom a session is with.
type Spec struct {
	Key       string   // agentId::chatId
	AgentID   string   // of the office
	Workspace string   // directory; empty means the driver's default
	Root      string   // under which the workspace must still lie when a program starts there; empty: anywhere
	Env       []string // the whole environment of a program that is started; nil: the driver's own
	Resume    string   // the program's own id of an earlier conversation, if it is to go on
	Temporary bool     // nobody can name the conversation again: its id need not be kept
}

// Driver opens sessions.
type Driver interface {
	Open(ctx context.Context, spec Spec) (Session, error)
}

// Session is one conversation with an agent.
type Session interface {
	// Turn has the agent answer.
	Turn(ctx context.Context, p Prompt, sink Sink) (Answer, error)
	// ID is the program's own id of the conversation, empty when it has none yet.
	ID() string
	// Close ends the conversation and what runs it.
	Close() error
}

// Interruptible is a Session whose Turn returns at once when its ctx ends, whatever the
// agent does: nobody has to be ready to abandon it.
type Interruptible interface {
	Session
	Interruptible()
}

// Answer is what came of a turn.
type Answer struct {
	Text  string
	Cut   bool // the text ends at a limit of tokens that the caller asked for
	Usage contracts.Usage

	// ProjectID and Actions go with a reply: what it is about, and the buttons under it.
	ProjectID string
	Actions   []contracts.SuggestedAction
}

// Sink shows what a turn does while it does it. It is safe for several
// goroutines.
type Sink interface {
	// Delta streams text as it comes into being. Kind is token, thought or code.
	Delta(kind, text string)

	// ToolStart reports a tool call; callID is the provider's, empty when there is
	// none. The returned function must be called with the result: a result of
	// package hud, or anything that JSON can say.
	ToolStart(callID, tool string, args any) (end func(result any))

	// Think reports a stretch of thinking until the returned function is called.
	Think() (end func())

	// Progress reports how far a task is, with a short and safe preview.
	Progress(percent int, preview string)

	// Used replaces what the turn has used so far, where the program tells that
	// before its answer does. A turn that uses too much is ended by its context.
	Used(u contracts.Usage)

	// Permit asks a person whether a tool may run and waits for the answer. An
	// error means that nobody answered: the tool must not run.
	Permit(ctx context.Context, p contracts.Permission) (Verdict, error)

	// Ask puts questions of the agent to a person and waits until every one is
	// answered. An error means that nobody answered.
	Ask(ctx context.Context, questions []contracts.AskSeen) ([]contracts.Decision, error)
}

// Verdict is a person's answer to a permission.
type Verdict struct {
	Allow  bool
	Always bool   // and the rule that the program suggested
	Note   string // for the agent
}
