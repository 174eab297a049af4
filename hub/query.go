package hub

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// queryNumber reads a non-negative number from a query. It returns def if the query has none.
func queryNumber(r *http.Request, name string, def uint64) (uint64, *contracts.Refusal) {
	return parseNumber(name, r.URL.Query().Get(name), def)
}

func parseNumber(field, text string, def uint64) (uint64, *contracts.Refusal) {
	if text == "" {
		return def, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, contracts.RefuseField(field, "%s must be a whole number, 0 or more", field)
	}
	return n, nil
}

// queryKinds reads the requested kinds. A query may repeat the kind parameter, or separate the
// kinds with commas. Without the parameter, queryKinds returns all kinds that viewers may see.
func queryKinds(r *http.Request) (channel, *contracts.Refusal) {
	var mask channel
	for _, list := range r.URL.Query()["kind"] {
		for name := range strings.SplitSeq(list, ",") {
			if name == "" {
				continue
			}
			bit := channelOf(contracts.Kind(name))
			if bit == 0 {
				return 0, contracts.RefuseField("kind", "kind must be one of event, agent_goal, chat, hud, ui")
			}
			mask |= bit
		}
	}
	if mask == 0 {
		mask = chanAll
	}
	return mask, nil
}

// httpRefuse answers a request with a refusal, as JSON.
func (h *Hub) httpRefuse(w http.ResponseWriter, status int, r *contracts.Refusal) {
	h.metrics.refused(r.Code)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, r)
}

// requireGet refuses every method except GET and HEAD, and reports whether the request may
// continue.
func (h *Hub) requireGet(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	h.httpRefuse(w, http.StatusMethodNotAllowed, contracts.Refuse(contracts.CodeNotAllowed, "the timeline is read-only; use GET"))
	return false
}
