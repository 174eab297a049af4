package tools

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
)

// instructions tell a model what the tools are for.
const instructions = `These tools connect you to a Bullpen office, where people follow what agents do. ` +
	`Ask a person with ask_person when you need a decision; if the call ends first, get the answer with read_answer. ` +
	`To work on a task, call read_board, take_task, report_progress and deliver. ` +
	`People may write to you: call read_messages, then send_message with answers set to the message's id.`

// Config configures a server. Office is required.
type Config struct {
	Office  Office
	Version string // the server's version

	// Options are the SDK's options, to which the instructions for the tools are added; nil means
	// the defaults.
	Options *mcp.ServerOptions

	Progress time.Duration // interval between progress notifications; default contracts.ToolProgress
	// ShutdownCtx is cancelled when the server stops, so that calls stop waiting; nil means never.
	ShutdownCtx context.Context
}

// New returns an MCP server with the office's tools.
func New(cfg Config) *mcp.Server {
	options := mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}}
	if cfg.Options != nil {
		options = *cfg.Options
	}
	if options.Instructions != "" {
		options.Instructions += "\n\n"
	}
	options.Instructions += instructions
	cfg.Progress = cmp.Or(cfg.Progress, contracts.ToolProgress)
	if cfg.ShutdownCtx == nil {
		cfg.ShutdownCtx = context.Background()
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bullpen", Version: cfg.Version}, &options)
	addTools(s, &server{cfg})
	return s
}

type server struct{ Config }

// plain returns the handler of a tool that does not wait for a person.
func plain[In, Out any](do func(context.Context, In) (Out, error)) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := do(ctx, in)
		return nil, out, err
	}
}

func (s *server) ask(ctx context.Context, req *mcp.CallToolRequest, q Question) (*mcp.CallToolResult, Answer, error) {
	q.RequestID = cmp.Or(q.RequestID, uuid.NewString())
	a, err := s.Office.Ask(ctx, q)
	if err == nil && a.Status == Waiting {
		a, err = s.await(ctx, req, a, waitFor(q.WaitSeconds, contracts.ToolWaitDefault))
	}
	return nil, a, err
}

func (s *server) answer(ctx context.Context, req *mcp.CallToolRequest, q AnswerRequest) (*mcp.CallToolResult, Answer, error) {
	a, err := s.Office.Answer(ctx, q.QuestionID, 0)
	if err == nil && a.Status == Waiting {
		a, err = s.await(ctx, req, a, waitFor(q.WaitSeconds, contracts.ToolWaitDefault))
	}
	return nil, a, err
}

func (s *server) messages(ctx context.Context, req *mcp.CallToolRequest, q MessagesRequest) (*mcp.CallToolResult, Messages, error) {
	var m Messages
	err := s.wait(ctx, req, waitFor(q.WaitSeconds, 0), "waiting for a message", func(ctx context.Context, wait time.Duration) (done bool, err error) {
		m, err = s.Office.Messages(ctx, wait)
		return len(m.Messages) > 0, err
	})
	return nil, m, err
}

func (s *server) take(ctx context.Context, q TakeRequest) (Work, error) {
	q.RequestID = cmp.Or(q.RequestID, uuid.NewString())
	return s.Office.Take(ctx, q)
}

func (s *server) deliver(ctx context.Context, d Delivery) (Delivered, error) {
	d.RequestID = cmp.Or(d.RequestID, uuid.NewString())
	return s.Office.Deliver(ctx, d)
}

func (s *server) say(ctx context.Context, m Message) (Done, error) {
	m.RequestID = cmp.Or(m.RequestID, uuid.NewString())
	return s.Office.Say(ctx, m)
}
