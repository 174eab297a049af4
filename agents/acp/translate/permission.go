package translate

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// The kinds of options in a permission request.
const (
	allowOnce    = "allow_once"
	allowAlways  = "allow_always"
	rejectOnce   = "reject_once"
	rejectAlways = "reject_always"
)

// Request is a permission request.
type Request struct {
	Session string     `json:"sessionId"`
	Call    CallUpdate `json:"toolCall"`
	Options []Option   `json:"options"`
}

// Option is one answer that the agent accepts.
type Option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// ReadRequest reads the parameters of session/request_permission. It returns an error if they
// cannot be read completely, because a person must not agree to something that is not shown.
func ReadRequest(params jsontext.Value) (Request, error) {
	var r Request
	mismatched, err := hud.Decode(params, &r)
	switch {
	case err != nil:
		return r, err
	case len(mismatched) > 0:
		return r, errors.New("fields with an unexpected type: " + strings.Join(mismatched, ", "))
	case r.Call.ID == "":
		return r, errors.New("toolCall.toolCallId is missing")
	case len(r.Options) == 0:
		return r, errors.New("options are missing")
	case slices.ContainsFunc(r.Options, func(o Option) bool { return o.ID == "" }):
		return r, errors.New("an option has no optionId")
	}
	return r, nil
}

// Permission returns the request in the form that a person sees. place is where the call would run.
func (r Request) Permission(c *Call, place string) contracts.Permission {
	call := c.OfficeCall()
	call.Args = c.permissionArgs(call)
	shown := hud.ToolStart(hud.Source{}, "", hud.Span{}, call)
	return contracts.Permission{Tool: shown.Tool, Args: call.Args, Label: shown.Label, CallID: r.Call.ID, Place: place, Grants: r.grants()}
}

// permissionArgs returns a call's arguments for use in a permission request. It adds a note if an
// argument was taken from the call's title, and the list of locations if there are several. If the
// policy knows the tool's arguments, a call with either addition matches no allow rule, so only a
// person can allow it.
func (c *Call) permissionArgs(call hud.Call) jsontext.Value {
	args := members(call.Args)
	sent := members(hud.Canonical(hud.Call{Tool: c.tool(), Args: c.input}).Args)
	doubt := false
	for _, name := range []string{"command", "url"} {
		if args[name] != nil && sent[name] == nil {
			args["taken_from"], doubt = hud.Value("the title of the call"), true
		}
	}
	if len(c.places) > 1 && sent["path"] == nil {
		args["places"], doubt = hud.Value(c.places), true
	}
	if !doubt {
		return call.Args
	}
	return hud.Value(args)
}

// grants returns the agent's own description of its "always" option, or "" if the agent offers no
// such option or its description does not fit on one line.
func (r Request) grants() string {
	o, ok := r.option(allowAlways)
	if !ok || utf8.RuneCountInString(o.Name) > contracts.LimitNote {
		return ""
	}
	return hud.Line(o.Name, contracts.LimitNote)
}

// AllowOption returns the id of the option that allows the call once or, if always is true, every
// time. ok is false if the agent does not offer that option: consent to one call never becomes
// consent to all.
func (r Request) AllowOption(always bool) (id string, ok bool) {
	kind := allowOnce
	if always {
		kind = allowAlways
	}
	o, ok := r.option(kind)
	return o.ID, ok
}

// RejectOption returns the id of the option that rejects the call; ok is false if the agent offers
// none.
func (r Request) RejectOption() (id string, ok bool) {
	if o, ok := r.option(rejectOnce); ok {
		return o.ID, true
	}
	o, ok := r.option(rejectAlways)
	return o.ID, ok
}

// option returns the first option of a kind.
func (r Request) option(kind string) (Option, bool) {
	i := slices.IndexFunc(r.Options, func(o Option) bool { return o.Kind == kind })
	if i < 0 {
		return Option{}, false
	}
	return r.Options[i], true
}

// Question returns the request as a permission question with the agent's own options, provided that
// they offer more than a plain yes or no: either several ways to allow the call once, or only
// options of unknown kinds. Otherwise ok is false. ok is also false if there are too many options,
// or if one has no name, a repeated name, or the name of one of the office's own options.
func (r Request) Question(p contracts.Permission) (question contracts.AskSeen, ok bool) {
	once, plain := 0, 0
	var names []string
	for _, o := range r.Options {
		name := hud.Line(o.Name, contracts.LimitChoice)
		if contracts.Blank(name) || slices.Contains(names, name) || name == contracts.OptionAllow || name == contracts.OptionAlways || name == contracts.OptionDeny {
			return contracts.AskSeen{}, false
		}
		names = append(names, name)
		switch o.Kind {
		case allowOnce:
			once, plain = once+1, plain+1
		case allowAlways, rejectOnce, rejectAlways:
			plain++
		}
	}
	if once < 2 && plain > 0 || len(names) > contracts.LimitOptions {
		return contracts.AskSeen{}, false
	}
	p.Grants = ""
	return hud.PrepareAsk(contracts.AskSeen{Kind: contracts.DecisionPermission, Prompt: p.Label, Options: names, Permission: &p}), true
}

// ChosenOption returns the id of the option that a person chose as the answer to the request. ok is
// false if the answer matches no option.
func (r Request) ChosenOption(d contracts.Decision) (id string, ok bool) {
	for _, o := range r.Options {
		if d.Status == contracts.DecisionResolved && hud.Line(o.Name, contracts.LimitChoice) == d.Choice {
			return o.ID, true
		}
	}
	return "", false
}
