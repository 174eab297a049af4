// Package otel receives OpenTelemetry data over HTTP, so that agents built with any framework
// appear as guests. Spans that follow the GenAI conventions are recorded before they are
// acknowledged; a span that is sent twice is recorded once. Logs and metrics are accepted but not
// recorded.
package otel

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/otel/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

// Adapter supports agents that send OpenTelemetry spans.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: translate.Source, Label: "OpenTelemetry", Color: "#b5642a", Provider: "opentelemetry"},
	Support: &agents.Support{
		Agents: "Any framework with OpenTelemetry", Page: "opentelemetry.md", Watch: "spans", Cost: "if reported", Tested: "Go SDK 1.43.0, Node SDK 3.1.0",
	},
	Watch: newWatcher,
}
