package openai

import (
	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter is a model behind an endpoint that speaks OpenAI's protocol.
var Adapter = agents.Adapter{
	Source: contracts.Source{Source: "openai", Label: "Model", Color: "#8a6b5c", Provider: "openai"},
	Kind:   staff.OpenAI,
	Check:  check,
	Find:   find,
}
