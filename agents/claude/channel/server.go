package channel

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/tools"
)

// instructions go into the session's system prompt.
const instructions = `Messages from the office arrive as <channel source="bullpen" chat_id="…" message_id="…">. ` +
	`Answer each one with the reply tool; text that you only write in the terminal does not reach the person who asked. ` +
	`Use final=false for progress while you work and final=true once, for the answer.`

// revisions are the MCP versions that the server offers. Newer versions are left out because Claude
// Code does not register channels with them.
var revisions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// server returns the office's MCP server with the channel's capabilities and the reply tool.
func (c *Channel) server() *mcp.Server {
	s := tools.New(tools.Config{Office: c.cfg.Office, Version: c.cfg.Version, Options: &mcp.ServerOptions{
		Instructions:              instructions,
		InitializedHandler:        func(context.Context, *mcp.InitializedRequest) { c.readyOnce.Do(func() { close(c.ready) }) },
		SupportedProtocolVersions: revisions,
		Capabilities: &mcp.ServerCapabilities{
			Experimental: map[string]any{"claude/channel": map[string]any{}, "claude/channel/permission": map[string]any{}},
			Tools:        &mcp.ToolCapabilities{},
		},
	}})
	mcp.AddTool(s, &mcp.Tool{Name: "reply", Description: "Answer a message from the office."}, c.reply)
	return s
}

type replyArgs struct {
	Text      string `json:"text" jsonschema:"the text of the answer"`
	Final     *bool  `json:"final,omitempty" jsonschema:"false for progress, true (the default) for the answer"`
	MessageID string `json:"message_id,omitempty" jsonschema:"id of the message to answer; default: the newest"`
	ChatID    string `json:"chat_id,omitempty" jsonschema:"id of the chat; not needed"`
}

func (c *Channel) reply(_ context.Context, _ *mcp.CallToolRequest, args replyArgs) (*mcp.CallToolResult, any, error) {
	final := args.Final == nil || *args.Final
	message := args.MessageID
	if message == "" {
		message = c.newest()
	}
	switch {
	case message == "":
		return nil, nil, errors.New("no message from the office is waiting for an answer")
	case !c.bridge.send(frame{Type: "reply", Content: args.Text, Final: &final, MessageID: message}):
		return nil, nil, errors.New("the office cannot be reached; try again in a moment")
	}
	if final {
		c.answered(message)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sent"}}}, nil, nil
}

// newest returns the id of the message that is waiting for an answer, or "" if there is none.
func (c *Channel) newest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.message
}

// answered clears the waiting message, unless a newer message has replaced it.
func (c *Channel) answered(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if message == c.message {
		c.message = ""
	}
}
