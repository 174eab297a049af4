package hud

import (
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Ask makes a permission request fit for a record and for a person: without
// credentials, and with at most LimitPermission bytes of arguments, which the
// caller gives whole. Nobody may allow what nobody could read: a larger one can
// only be denied, and its label and prompt say so.
func Ask(q contracts.AskSeen) contracts.AskSeen {
	p := *q.Permission
	p.Tool, p.Label = Line(p.Tool, contracts.LimitName), Line(p.Label, contracts.LimitPreview)
	q.Prompt = Line(q.Prompt, contracts.LimitNote)
	p.Args = scrubbed(p.Args)
	if n := len(p.Args); n > contracts.LimitPermission {
		why := fmt.Sprintf(" (%d KiB, too much to show whole: it can be allowed only where the agent runs)", n>>10)
		p.Label = Shorten(p.Label, contracts.LimitPreview-len(why)) + why
		q.Prompt = Shorten(q.Prompt, contracts.LimitNote-len(why)) + why
		p.Args, _ = fitted(p.Args, contracts.LimitPermission, contracts.LimitPermission/2, 2<<10, 256)
		p.Grants, q.Options = "", []string{contracts.OptionDeny}
	}
	q.Permission = &p
	return q
}

// Readable reports whether a person can be shown the whole of a call's arguments
// before it is allowed.
func Readable(args jsontext.Value) bool { return len(scrubbed(args)) <= contracts.LimitPermission }
