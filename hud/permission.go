package hud

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Ask makes a permission request fit for a record and for a person: without
// credentials, and with at most LimitPermission bytes of arguments, which the
// caller gives whole. Nobody may allow what nobody could read: what cannot be shown
// can only be denied, and its label and prompt say why.
func Ask(q contracts.AskSeen) contracts.AskSeen {
	p := *q.Permission
	p.Tool, p.Label = Line(p.Tool, contracts.LimitName), Line(p.Label, contracts.LimitPreview)
	q.Prompt = Line(q.Prompt, contracts.LimitNote)
	if why := Unreadable(p.Args); why != "" {
		why = " (" + why + ": it can be allowed only where the agent runs)"
		p.Label = Shorten(p.Label, contracts.LimitPreview-len(why)) + why
		q.Prompt = Shorten(q.Prompt, contracts.LimitNote-len(why)) + why
		p.Grants, q.Options = "", []string{contracts.OptionDeny}
	}
	if p.Args = scrubbed(p.Args); len(p.Args) > contracts.LimitPermission {
		p.Args, _ = fitted(p.Args, contracts.LimitPermission, contracts.LimitPermission/2, 2<<10, 256)
	}
	q.Permission = &p
	return q
}

// commandSigns are in what may run something: a credential that has none of them is
// one word.
const commandSigns = " \t\n;|&`<>"

// Unreadable says why a person cannot be shown all that a call would do; empty when
// that is possible. A credential may be hidden; a command may not hide behind one.
func Unreadable(args jsontext.Value) string {
	opaque := false
	shown := scrub(args, func(taken string) {
		opaque = opaque || strings.ContainsAny(strings.TrimSpace(taken), commandSigns) || strings.Contains(taken, "$(")
	})
	preview := argumentsOf(args).text("input_preview") // of a program that cuts it itself
	switch {
	case len(shown) > contracts.LimitPermission:
		return fmt.Sprintf("%d KiB, too much to show whole", len(shown)>>10)
	case opaque:
		return "what is hidden as a credential may be a command"
	case strings.HasSuffix(preview, "…") || strings.HasSuffix(preview, "..."):
		return "the agent shows only a part of it"
	}
	return ""
}
