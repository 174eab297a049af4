package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// wholeResult is the full version of a truncated result, loaded on request (H6).
type wholeResult struct {
	busy   bool
	result jsontext.Value
	err    string
}

// readWhole loads the full version of a truncated result, unless it has been loaded or is being
// loaded. It follows only references of the form /v1/hud/<id>/result.
func (s *activityScreen) readWhole(n *model.Node) tea.Cmd {
	path, known := wholePath(n.Result), s.whole[n.ID]
	if path == "" || known.busy || known.result != nil {
		return nil
	}
	all := s.whole // forget may replace s.whole in the meantime
	all[n.ID] = wholeResult{busy: true}
	return later(func() func() tea.Cmd {
		body, err := s.app.conn.Get(s.app.ctx, path, contracts.LimitHUDResult*2)
		return func() tea.Cmd {
			var told struct {
				Result jsontext.Value `json:"result"`
			}
			switch {
			case err != nil:
				all[n.ID] = wholeResult{err: err.Error()}
			case json.Unmarshal(body, &told) != nil || told.Result == nil:
				all[n.ID] = wholeResult{err: "the office sent an invalid response"}
			default:
				all[n.ID] = wholeResult{result: told.Result}
			}
			return nil
		}
	})
}

// forget drops the full results, including results that are being loaded.
func (s *activityScreen) forget() {
	s.whole = map[string]wholeResult{}
	s.detail.forget()
}

// wholePath returns the path of the full result on the server, or "" if result has no valid
// reference to it.
func wholePath(result jsontext.Value) string {
	var r struct {
		Ref string `json:"ref"`
	}
	if result == nil || json.Unmarshal(result, &r) != nil {
		return ""
	}
	id, ours := strings.CutPrefix(r.Ref, "/v1/hud/")
	id, whole := strings.CutSuffix(id, "/result")
	if !ours || !whole || id == "" || len(id) > contracts.LimitID {
		return ""
	}
	for _, c := range id {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return r.Ref
}
