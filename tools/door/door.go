// Package door serves the office's MCP tools over streamable HTTP, at POST /mcp.
//
// A request acts only as the agent that its token is bound to; other credentials are refused,
// including the operator's. Requests are independent of each other, so a client can continue after
// the office restarts and can use any of its nodes. An agent that is not in the office yet joins as
// a guest with its first tool call.
package door

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/view"
)

// Path is where MCP clients send requests.
const Path = "/mcp"

// Office carries out the command to take a task, and records facts. A command repeated with the
// same id, or a fact repeated with the same teller key, takes effect only once.
type Office interface {
	Do(ctx context.Context, cmd contracts.Command) contracts.Reply
	TellAs(ctx context.Context, teller contracts.Teller, facts ...contracts.Fact) []contracts.Reply
}

// Roster admits guests and keeps the evidence about them.
type Roster interface {
	Join(ctx context.Context, p contracts.AgentProfile, proof intake.Proof) error
	AddEvidence(ctx context.Context, agentID string, e status.Evidence)
}

// Blobs stores and reads content by its hash.
type Blobs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	Blob(ctx context.Context, sha256 string) (content []byte, ok bool, err error)
}

// Config configures a Door. All fields are required.
type Config struct {
	Office      Office
	View        *view.View
	Roster      Roster
	Events      *intake.UI // records questions, messages and statuses
	Blobs       Blobs
	Pulls       func(agentID string) bool // reports whether an agent is a crew member that takes its tasks itself
	ShutdownCtx context.Context           // cancelled when the server stops, to end waiting calls
	Version     string
	Now         func() time.Time
	Log         *slog.Logger
}

// New returns the handler for Path.
func New(cfg Config) http.HandlerFunc {
	server := tools.New(tools.Config{Office: &desk{cfg}, Version: cfg.Version, ShutdownCtx: cfg.ShutdownCtx})
	server.AddReceivingMiddleware(cancelOnDisconnect)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: contracts.LimitBody, Logger: cfg.Log,
		DisableLocalhostProtection: true, // the gate has checked Host and Origin
	})
	return func(w http.ResponseWriter, r *http.Request) {
		switch p := gate.PrincipalFrom(r); {
		case p.Access != contracts.AccessAgent:
			gate.Refuse(w, http.StatusForbidden, contracts.CodeNotAllowed, "%s requires a token that is bound to an agent: create one with `bullpen token create --role agent --agent NAME`", Path)
		case p.AgentID == "":
			gate.Refuse(w, http.StatusUnauthorized, contracts.CodeNotAllowed, "this token is not bound to an agent: create one with `bullpen token create --role agent --agent NAME`")
		default:
			ctx := context.WithValue(r.Context(), callKey{}, call{p, r.Context()})
			handler.ServeHTTP(w, r.WithContext(ctx))
		}
	}
}

type callKey struct{}

// call is the HTTP request that carried a tool call.
type call struct {
	principal contracts.Principal
	request   context.Context
}

// cancelOnDisconnect cancels the context of a call when its HTTP request ends. The SDK does this
// only for the newest version of the protocol.
func cancelOnDisconnect(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if c, ok := ctx.Value(callKey{}).(call); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(c.request, cancel)()
		}
		return next(ctx, method, req)
	}
}
