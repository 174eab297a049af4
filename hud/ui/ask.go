package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Ask is a question for a person.
type Ask struct {
	Kind          contracts.UIKind `json:"kind"`
	Prompt        string           `json:"prompt"`
	Options       []string         `json:"options"`
	AllowFreeText bool             `json:"allow_free_text"`
	Timeout       jsontext.Value   `json:"timeout,omitzero"` // seconds; if absent, the question never expires
}

// ItemKind returns UIAsk.
func (*Ask) ItemKind() contracts.UIKind { return contracts.UIAsk }

// Expires returns when a question that was asked at ts (Unix milliseconds) expires; 0 means
// never.
func (a *Ask) Expires(ts int64) int64 {
	return (&Status{Duration: a.Timeout}).Expires(ts)
}

var (
	promptKeys   = []string{"prompt", "text", "question", "message", "value"}
	optionKeys   = []string{"options", "choices"}
	labelKeys    = []string{"label", "text", "title", "value", "name", "id"}
	freeTextKeys = []string{"allow_free_text", "allowFreeText", "free_text", "freeText"}
	timeoutKeys  = []string{"timeout", "timeout_s", "duration", "duration_s"}
)

func readAsk(v jsontext.Value) []Part {
	content, o, ok := contentOf(v, promptKeys)
	if !ok || contracts.Blank(content) {
		return ignored(v, "the question has no prompt")
	}
	a := &Ask{Kind: contracts.UIAsk, Prompt: strings.TrimSpace(content), Options: []string{}}
	if n := utf8.RuneCountInString(a.Prompt); n > contracts.LimitNote {
		return ignored(v, "the prompt has %d characters (limit %d)", n, contracts.LimitNote)
	}
	if list, ok := o.first(optionKeys...); ok {
		if why := a.setOptions(list); why != "" {
			return ignored(v, "%s", why)
		}
	}
	a.AllowFreeText = len(a.Options) == 0 // without options, only free text can answer it
	if free, ok := o.first(freeTextKeys...); ok && len(a.Options) > 0 {
		yes := truth(free)
		a.AllowFreeText = yes != nil && *yes
	}
	if wait, ok := o.first(timeoutKeys...); ok {
		if t := seconds(wait); string(t) != "-1" {
			a.Timeout = t
		}
	}
	return drawn(v, a)
}

// setOptions sets the options, or returns the reason the list is invalid.
func (a *Ask) setOptions(list jsontext.Value) (why string) {
	if list.Kind() != '[' {
		return "the options must be a list"
	}
	for _, e := range elementsOf(list) {
		label, ok := scalar(e)
		if !ok {
			label = objectOf(e).label()
		}
		if label = contracts.CleanLine(label); contracts.Blank(label) {
			return "every option must be a string, a number or an object with a label"
		}
		if utf8.RuneCountInString(label) > contracts.LimitChoice {
			return "an option is too long for an answer: " + hud.Shorten(label, contracts.LimitName)
		}
		if slices.Contains(a.Options, label) {
			continue
		}
		if a.Options = append(a.Options, label); len(a.Options) > contracts.LimitOptions {
			return "too many options; ask several questions, or allow free text"
		}
	}
	return ""
}

// label returns the full text of the first member that names an option, or "".
func (o object) label() string {
	for _, k := range labelKeys {
		if s, ok := scalar(o[k]); ok && !contracts.Blank(s) {
			return s
		}
	}
	return ""
}
