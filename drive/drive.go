// Package drive is the interface between the office and agent programs: a Claude Code process, a
// connected peer or an agent behind a gateway.
//
// Every driver guarantees the following:
//
//   - A session has one turn at a time.
//   - A turn ends with the whole answer or with an error that explains what happened and what to do.
//   - A turn returns soon after its context is done. By then, the driver has stopped the program's
//     work on the turn if the program supports that.
//   - The driver sends nothing to the sink after the turn has returned.
//   - A closed session leaves no process behind.
package drive

import (
	"context"
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
)

// ErrGone means that the agent disconnected during a turn.
var ErrGone = errors.New("the agent disconnected")

// ExitError is the exit status of an agent's program.
type ExitError struct {
	Status string // such as "exit status 7"
	Stderr string // redacted end of the program's standard error; for the office's owner, not for callers
}

func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return e.Status
	}
	return e.Status + ": " + e.Stderr
}

// ErrUnreachable means that the agent cannot be reached: nothing was dispatched.
var ErrUnreachable = errors.New("the agent is not connected")

// ErrNoConversation means that the agent cannot find the conversation to resume: nothing was
// dispatched, and a new conversation can start.
var ErrNoConversation = errors.New("the agent cannot find the conversation")

// ErrTooLong means that the agent does not accept a prompt of this length.
var ErrTooLong = errors.New("the message is too long for this agent")

// ErrMalformed means that the answer does not have the required form. The request may be repeated
// once.
var ErrMalformed = errors.New("invalid answer")

// ErrUnsupported means that the agent does not support part of the prompt: nothing was dispatched.
var ErrUnsupported = errors.New("the agent does not support this")

// Spec describes the session to open.
type Spec struct {
	Key       string   // agentId::chatId
	AgentID   string   // agent id in the office
	Workspace string   // directory; empty means the driver's default
	Root      string   // directory that must contain the workspace when the program starts; empty means any
	Env       []string // complete environment of the program; nil means the driver's own
	Resume    string   // the program's id for the conversation to resume; empty starts a new one
	Temporary bool     // the conversation cannot be addressed again, so its id need not be stored
}

// Driver opens sessions. Drivers must be comparable, because the engine compares them to decide
// whether an open session can be reused.
type Driver interface {
	Open(ctx context.Context, spec Spec) (Session, error)
}

// Session is one conversation with an agent.
type Session interface {
	// Turn sends the prompt to the agent, passes its activity to sink, and returns its answer.
	Turn(ctx context.Context, p Prompt, sink Sink) (Answer, error)
	// ID returns the program's own id for the conversation, or "" if the program has none yet.
	ID() string
	// Close ends the conversation and the program that runs it.
	Close() error
}

// Interruptible is a Session whose Turn returns immediately once its context is done, whatever the
// agent does, so that callers can wait for Turn.
type Interruptible interface {
	Session
	Interruptible()
}

// Answer is the result of a turn.
type Answer struct {
	Text  string
	Cut   bool // the text was cut off at the caller's token limit
	Usage contracts.Usage

	// ProjectID and Actions are set for chat replies: the project, and the buttons under the reply.
	ProjectID string
	Actions   []contracts.SuggestedAction
}

// Sink receives the activity of an agent during a turn. It is safe for concurrent use.
type Sink interface {
	// Delta streams text as it is written. Kind is token, thought or code.
	Delta(kind, text string)

	// ToolStart reports a tool call; callID is the provider's id and may be empty. The returned
	// function must be called with the result: a result of package hud, or any value that can be
	// encoded as JSON.
	ToolStart(callID, tool string, args any) (end func(result any))

	// Think reports thinking until the returned function is called.
	Think() (end func())

	// Progress reports the progress of a task, with a short text about what is happening.
	Progress(percent int, preview string)

	// Used sets the usage of the turn so far, for programs that report usage before the answer. A
	// turn that uses too much is cancelled through its context.
	Used(u contracts.Usage)

	// Permit asks a person whether a tool may run and waits for the answer. If Permit returns an
	// error, the tool must not run.
	Permit(ctx context.Context, p contracts.Permission) (Verdict, error)

	// Ask shows the agent's questions to a person and waits until all are answered. An error means
	// that not all were answered.
	Ask(ctx context.Context, questions []contracts.AskSeen) ([]contracts.Decision, error)
}

// Verdict is a person's answer to a permission request.
type Verdict struct {
	Allow  bool
	Always bool   // also apply the rule that the program suggested
	Note   string // for the agent
}
