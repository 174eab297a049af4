package translate

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Notice contains the members that the office reads from the app-server's notifications.
type Notice struct {
	Thread string         `json:"threadId"`
	InTurn string         `json:"turnId"`
	Delta  string         `json:"delta"`
	Item   jsontext.Value `json:"item"`
	Turn   TurnEnd        `json:"turn"`
	Error  Failure        `json:"error"`
	Tokens struct {
		Last struct {
			In         float64 `json:"inputTokens"`
			Out        float64 `json:"outputTokens"`
			CacheRead  float64 `json:"cachedInputTokens"`
			CacheWrite float64 `json:"cacheWriteInputTokens"`
		} `json:"last"`
	} `json:"tokenUsage"`
}

// TurnEnd describes how a turn ended.
type TurnEnd struct {
	ID     string  `json:"id"`
	Status string  `json:"status"`
	Error  Failure `json:"error"`
}

// Failure is an error that Codex reports.
type Failure struct {
	Message string `json:"message"`
}

// ReadNotice reads the parameters of a notification; ok is false if they are not an object.
func ReadNotice(params jsontext.Value) (n Notice, ok bool) {
	_, err := hud.Decode(params, &n)
	return n, err == nil
}

// TurnID returns the turn that a notification is about, or "" if it is about the thread.
func (n *Notice) TurnID() string {
	if n.InTurn != "" {
		return n.InTurn
	}
	return n.Turn.ID
}

// Used returns the usage of the last response.
func (n *Notice) Used() contracts.Usage {
	last := n.Tokens.Last
	u := rowUsage{In: last.In, Out: last.Out, CacheRead: last.CacheRead, CacheWrite: last.CacheWrite}
	return u.toUsage("", 0)
}

// Approval is a request to approve a command or changes to files.
type Approval struct {
	Thread  string         `json:"threadId"`
	Item    string         `json:"itemId"`
	Command jsontext.Value `json:"command"`
	Cwd     string         `json:"cwd"`
	Root    string         `json:"grantRoot"`
}

// ReadApproval reads a request for approval. It returns an error if the request cannot be read
// completely, because a person must not agree to something that is not shown.
func ReadApproval(params jsontext.Value) (Approval, error) {
	var a Approval
	mismatched, err := hud.Decode(params, &a)
	a.Item = guest.Name(a.Item)
	switch {
	case err != nil:
		return a, err
	case len(mismatched) > 0:
		return a, errors.New("fields with an unexpected type: " + strings.Join(mismatched, ", "))
	case a.Item == "":
		return a, errors.New("itemId is missing")
	}
	return a, nil
}

// Permission returns the request in the form that a person sees. place is the session's directory.
func (a Approval) Permission(it Item, place string) contracts.Permission {
	call := it.Call()
	if a.Root != "" || a.Cwd != "" && a.Cwd != place { // no rule covers these arguments, so a person is always asked
		args := map[string]jsontext.Value{}
		_ = json.Unmarshal(call.Args, &args, hud.Lenient) // valid: the office encoded the arguments
		if a.Root != "" {
			args["grants_writing_in"] = hud.Value(a.Root)
		}
		if a.Cwd != "" && a.Cwd != place {
			args["directory"] = hud.Value(a.Cwd)
		}
		call.Args = hud.Value(args)
	}
	shown := hud.ToolStart(hud.Source{}, "", hud.Span{}, call)
	return contracts.Permission{Tool: shown.Tool, Args: call.Args, Label: shown.Label, CallID: a.Item, Place: place}
}
