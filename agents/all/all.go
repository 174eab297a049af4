// Package all lists the adapters of all supported vendors.
package all

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/acp"
	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/agents/codex"
	"github.com/bullpen-office/bullpen/agents/copilot"
	"github.com/bullpen-office/bullpen/agents/cursor"
	"github.com/bullpen-office/bullpen/agents/gemini"
	"github.com/bullpen-office/bullpen/agents/mcp"
	"github.com/bullpen-office/bullpen/agents/openai"
	"github.com/bullpen-office/bullpen/agents/openclaw"
	"github.com/bullpen-office/bullpen/agents/opencode"
	"github.com/bullpen-office/bullpen/agents/otel"
	"github.com/bullpen-office/bullpen/agents/peer"
	"github.com/bullpen-office/bullpen/agents/qwen"
	"github.com/bullpen-office/bullpen/agents/rehearsal"
)

// Adapters lists the adapters of the vendors that this program supports.
var Adapters = []agents.Adapter{
	rehearsal.Adapter,
	openai.Adapter,
	claude.Adapter,
	codex.Adapter,
	opencode.Adapter,
	gemini.Adapter,
	qwen.Adapter,
	cursor.Adapter,
	copilot.Adapter,
	openclaw.Adapter,
	acp.Adapter,
	otel.Adapter,
	peer.Adapter,
	mcp.Adapter,
}
