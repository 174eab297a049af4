package translate

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Answerable reports whether a permission request can be answered in the office. A request with
// members that could not be decoded cannot be answered there.
func (h *Hook) Answerable() bool {
	if h.Tool == ToolQuestion {
		_, ok := formOf(h.Tool, h.Input)
		return ok && len(h.Mismatched) == 0
	}
	return h.Tool != "" && len(h.Mismatched) == 0
}

// Asks returns the decisions that a permission request needs: one for each question in
// a call to ToolQuestion, or a single one for any other tool.
func (s *Session) Asks(h *Hook, expiresAt int64) []contracts.AskSeen {
	list := Questions(h.Tool, h.Input, contracts.Permission{CallID: s.CallIDOf(h), Place: s.profile.Place})
	if list == nil {
		return []contracts.AskSeen{s.ask(h, expiresAt)}
	}
	for i := range list {
		list[i].AgentID, list[i].ExpiresAt = s.Source.AgentID, expiresAt
	}
	return list
}

// ask returns a question for a person: whether a tool may run.
func (s *Session) ask(h *Hook, expiresAt int64) contracts.AskSeen {
	call := hud.Canonical(officeCall(h.Tool, h.Input))
	shown := hud.ToolStart(s.Source, "", hud.Span{}, call)
	p := &contracts.Permission{
		Tool: shown.Tool, Args: call.Args, Label: shown.Label, CallID: s.CallIDOf(h), Place: s.profile.Place, Grants: grants(h.Suggestions),
	}
	where := ""
	if p.Place != "" {
		where = " in " + p.Place
	}
	options := []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny}
	if p.Grants == "" {
		options = []string{contracts.OptionAllow, contracts.OptionDeny}
	}
	who := "Claude Code"
	if s.agent != "" {
		who = s.profile.Name + " (Claude Code)"
	}
	return hud.PrepareAsk(contracts.AskSeen{
		AgentID: s.Source.AgentID, Kind: contracts.DecisionPermission, Options: options, ExpiresAt: expiresAt, Permission: p,
		Dir: s.Source.Roots.Work, Home: s.cfg.Home, Prompt: who + where + " wants to " + s.describeCall(shown),
	})
}

// describeCall describes what a call would do, for example "run: make".
func (s *Session) describeCall(shown contracts.HUD) string {
	c := hud.Call{Tool: shown.Tool, Args: shown.Args}
	path := s.Source.Roots.View(argument(c, "path"))
	switch shown.Tool {
	case "exec":
		return "run: " + argument(c, "command")
	case "read":
		return "read " + path
	case "write", "edit", "append":
		return "change " + path
	case "web_fetch":
		return "fetch " + argument(c, "url")
	case "web_search":
		return "search the web for " + argument(c, "query")
	}
	return "use " + shown.Label
}

// update is a permission change that Claude Code suggests.
type update struct {
	Type  string `json:"type"`
	Rules []struct {
		Tool string `json:"toolName"`
		Rule string `json:"ruleContent"`
	} `json:"rules"`
	Behavior    string   `json:"behavior"`
	Mode        string   `json:"mode"`
	Directories []string `json:"directories"`
	Destination string   `json:"destination"`
}

var destinations = map[string]string{
	"session":         "for this session",
	"localSettings":   "in this project, for you",
	"projectSettings": "in this project, for everyone",
	"userSettings":    "in all projects",
}

// grants describes what "always" would allow from now on. It returns "" if Claude Code suggests
// nothing, or if the suggestions cannot be described completely: a person must not agree to
// something that is not shown.
func grants(suggestions jsontext.Value) string {
	var list []update
	if json.Unmarshal(suggestions, &list, hud.Lenient) != nil {
		return ""
	}
	var texts []string
	for _, u := range list {
		text := u.words()
		if text == "" {
			return ""
		}
		if where := destinations[u.Destination]; where != "" {
			text += " " + where
		}
		texts = append(texts, text)
	}
	all := strings.Join(texts, "; ")
	if utf8.RuneCountInString(all) > contracts.LimitNote {
		return ""
	}
	return hud.Line(all, contracts.LimitNote)
}

func (u *update) words() string {
	switch {
	case u.Type == "addRules" && u.Behavior == "allow" && len(u.Rules) > 0:
		var rules []string
		for _, r := range u.Rules {
			if r.Rule != "" {
				r.Tool += "(" + r.Rule + ")"
			}
			rules = append(rules, r.Tool)
		}
		return "allow " + strings.Join(rules, ", ")
	case u.Type == "setMode" && u.Mode != "":
		return "switch to " + u.Mode + " mode"
	case u.Type == "addDirectories" && len(u.Directories) > 0:
		return "allow the directories " + strings.Join(u.Directories, ", ")
	}
	return ""
}

// Answer returns the response that reports the decisions to Claude Code; they must be in the order
// of Asks. nil means that there is no answer, so the terminal keeps asking.
func (h *Hook) Answer(decisions ...contracts.Decision) []byte {
	if h.Tool == ToolQuestion {
		input, ok := Answers(h.Tool, h.Input, decisions)
		if !ok {
			return nil
		}
		return permissionOutput(verdict{Behavior: "allow", Input: input})
	}
	if len(decisions) != 1 || decisions[0].Status != contracts.DecisionResolved {
		return nil
	}
	d, v := decisions[0], verdict{Behavior: "allow"}
	switch d.Choice {
	case contracts.OptionAllow:
	case contracts.OptionAlways:
		v.Updates = h.Suggestions
	case contracts.OptionDeny:
		v.Behavior, v.Message = "deny", d.Note
		v.Message = cmp.Or(v.Message, "Denied by a person in the office.")
	default:
		return nil // the choice is not one of the options: it must not allow the call
	}
	return permissionOutput(v)
}

// verdict is an answer to a permission request in Claude Code's format.
type verdict struct {
	Behavior string         `json:"behavior"`
	Input    jsontext.Value `json:"updatedInput,omitzero"`
	Updates  jsontext.Value `json:"updatedPermissions,omitzero"`
	Message  string         `json:"message,omitzero"`
}

func permissionOutput(v verdict) []byte {
	type output struct {
		Event    string  `json:"hookEventName"`
		Decision verdict `json:"decision"`
	}
	return hud.Value(struct {
		Output output `json:"hookSpecificOutput"`
	}{output{"PermissionRequest", v}})
}
