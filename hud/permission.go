package hud

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// PrepareAsk prepares a permission request to be recorded and shown to a person. The caller passes
// the full arguments; PrepareAsk removes credentials from them and truncates them to LimitPermission
// bytes. A request that cannot be shown in full can only be denied; its label and prompt say why.
func PrepareAsk(q contracts.AskSeen) contracts.AskSeen {
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

// commandChars are characters that occur in commands. A hidden credential without any of them is a
// single word, so it cannot run anything.
const commandChars = " \t\n;|&`<>"

// Unreadable returns the reason a call cannot be shown to a person in full, or "" if it can. A
// credential may be hidden, but a command that looks like a credential must not be.
func Unreadable(args jsontext.Value) string {
	opaque := false
	shown := scrub(args, func(taken string) {
		opaque = opaque || strings.ContainsAny(strings.TrimSpace(taken), commandChars) || strings.Contains(taken, "$(")
	})
	preview := argumentsOf(args).text("input_preview") // set by programs that truncate it themselves
	switch {
	case len(shown) > contracts.LimitPermission:
		return fmt.Sprintf("%d KiB, too large to show in full", len(shown)>>10)
	case opaque:
		return "it contains a hidden credential that may be a command"
	case strings.HasSuffix(preview, "…") || strings.HasSuffix(preview, "..."):
		return "the agent shows only part of it"
	}
	return ""
}
