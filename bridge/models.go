package bridge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/gate"
)

// modelPrefix may precede an agent's name in the model parameter.
const modelPrefix = "bullpen/"

// model describes an agent as a model, in a format that both OpenAI's and Anthropic's clients can
// read. An agent's creation time is unknown, so Created and CreatedAt contain the Unix epoch.
type model struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	Type        string `json:"type"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
}

func newModel(id string) model {
	return model{ID: id, Object: "model", OwnedBy: "bullpen", Type: "model", DisplayName: strings.TrimPrefix(id, modelPrefix), CreatedAt: "1970-01-01T00:00:00Z"}
}

// ServeModels handles GET /v1/models: it lists the agents that the caller can reach.
func (b *Bridge) ServeModels(w http.ResponseWriter, r *http.Request) {
	list := b.models(gate.PrincipalFrom(r).AgentID)
	gate.Answer(w, http.StatusOK, map[string]any{"object": "list", "data": list, "has_more": false, "first_id": list[0].ID, "last_id": list[len(list)-1].ID})
}

// ServeModel handles GET /v1/models/{id...}: it returns one agent that the caller can reach.
func (b *Bridge) ServeModel(w http.ResponseWriter, r *http.Request) {
	name := agentOfModel(r.PathValue("id"))
	for _, m := range b.models(gate.PrincipalFrom(r).AgentID) {
		if agentOfModel(m.ID) == name {
			gate.Answer(w, http.StatusOK, m)
			return
		}
	}
	noModel(name).write(w)
}

// models lists the agents that a token may use. bound is the agent that the token is bound to;
// empty if there is none.
func (b *Bridge) models(bound string) []model {
	names := slices.DeleteFunc(b.cfg.Agents(), func(name string) bool { return !allows(bound, name) })
	slices.Sort(names)
	list := []model{newModel("bullpen")}
	for _, name := range slices.Compact(names) {
		list = append(list, newModel(modelPrefix+name))
	}
	return list
}

func noModel(name string) *problem {
	return &problem{status: http.StatusNotFound, Type: typeInvalid, Param: "model", Code: "model_not_found",
		Message: "No model " + name + ". GET /v1/models lists the available models."}
}

// refuseOpenAIMethod refuses a request with a method that an OpenAI endpoint does not support.
func refuseOpenAIMethod(w http.ResponseWriter, r *http.Request) { refuseMethod(w, r, (*problem).write) }

func refuseMethod(w http.ResponseWriter, r *http.Request, refuse func(*problem, http.ResponseWriter)) {
	allow := http.MethodPost
	if strings.HasPrefix(r.URL.Path, gate.ModelsPath) {
		allow = http.MethodGet
	}
	w.Header().Set("Allow", allow)
	refuse(&problem{status: http.StatusMethodNotAllowed, Type: typeInvalid, Code: "method_not_allowed",
		Message: r.Method + " is not allowed here; use " + allow + "."}, w)
}
