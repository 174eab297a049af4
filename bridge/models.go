package bridge

import (
	"net/http"
	"slices"

	"github.com/bullpen-office/bullpen/gate"
)

// modelPrefix may stand before an agent's name in a model.
const modelPrefix = "bullpen/"

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// ServeModels answers GET /v1/models: every agent that can be reached.
func (b *Bridge) ServeModels(w http.ResponseWriter, _ *http.Request) {
	names := append(b.cfg.Office.Agents(), b.peers.agents()...)
	slices.Sort(names)
	list := []model{{ID: "bullpen", Object: "model", OwnedBy: "bullpen"}}
	for _, name := range slices.Compact(names) {
		list = append(list, model{ID: modelPrefix + name, Object: "model", OwnedBy: "bullpen"})
	}
	gate.Answer(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}
