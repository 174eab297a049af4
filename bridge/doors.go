package bridge

import (
	"net/http"

	"github.com/bullpen-office/bullpen/gate"
)

const (
	oneModel    = gate.ModelsPath + "/{id...}"
	countTokens = gate.MessagesPath + "/count_tokens"
)

// Doors returns the handlers by route pattern. All routes are for operators and agents.
func (b *Bridge) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"POST " + gate.CompletionsPath: b.ServeCompletions,
		"POST " + gate.ResponsesPath:   b.ServeResponses,
		"POST " + gate.MessagesPath:    b.ServeMessages,
		"POST " + countTokens:          b.ServeCountTokens,
		"POST /v1/agui/{agent}":        b.ServeRun,
		"GET " + gate.ModelsPath:       b.ServeModels,
		"GET " + oneModel:              b.ServeModel,
		gate.CompletionsPath:           refuseOpenAIMethod,
		gate.ResponsesPath:             refuseOpenAIMethod,
		gate.MessagesPath:              refuseMessagesMethod,
		countTokens:                    refuseMessagesMethod,
		gate.ModelsPath:                refuseOpenAIMethod,
		oneModel:                       refuseOpenAIMethod,
	}
}
