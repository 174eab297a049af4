package tui

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// argRows is how much of a tool's arguments a card shows; D shows the rest.
const argRows = 8

// drawPermission: may a tool run? What it is, where, and what each answer means.
func (s *needsScreen) drawPermission(b *block, n *model.Need, d *contracts.Decision, w int) {
	a := s.app
	s.drawHeadOf(b, n, "asks to use", w)
	p := d.Permission
	if p == nil {
		p = &contracts.Permission{Tool: "a tool"}
	}
	args := argsOf(p)
	said := model.Unsigned(p.Label)
	if p.Label == "" {
		said = model.Unsigned(d.Prompt)
	}
	if len(args) > 0 && args[0].value == said {
		said = ""
	}
	b.add(clip(a.look.need.Render(model.Line(p.Tool))+"  "+model.Line(said), w))
	if p.Place != "" {
		b.add(a.look.soft.Render(clip("in "+model.Line(p.Place), w)))
	}
	s.drawArgs(b, d, args, w)
	if p.Grants != "" && slices.Contains(d.Options, contracts.OptionAlways) {
		b.add(painted(a.look.soft, wrapped("“"+contracts.OptionAlways+"” allows from now on: "+p.Grants, w, 2))...)
	}
	if why := s.permitReason(d); why != "" {
		if !a.office.Permit && a.frozen() == "" && why[0] == 'L' {
			why += " Run `bullpen open` and answer in the browser that it opens; or start `bullpen tui` on the office's own machine, or with an operator's token in BULLPEN_TOKEN."
		}
		b.add(painted(a.look.bad, wrapped(why, w, 4))...)
	}
}

// arg is one argument of a tool call.
type arg struct{ name, value string }

// telling are the arguments that say most; the first of them that is there is
// shown as it would run.
var telling = []string{"command", "path", "file_path", "url", "query", "pattern"}

// argsOf are the arguments, what says most first without its name, then in the
// order of their names; what is no text is JSON.
func argsOf(p *contracts.Permission) (list []arg) {
	var args map[string]any
	if p.Args == nil {
		return nil
	}
	if json.Unmarshal(p.Args, &args) != nil {
		return []arg{{"args", string(p.Args)}}
	}
	told := slices.IndexFunc(telling, func(name string) bool { return args[name] != nil })
	if told >= 0 {
		list = append(list, arg{"", argWords(args[telling[told]])})
	}
	for _, name := range sortedKeys(args) {
		if told < 0 || name != telling[told] {
			list = append(list, arg{name, argWords(args[name])})
		}
	}
	return list
}

// argWords is a value whole: what is allowed must be readable.
func argWords(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return leafWords(v)
}

func (s *needsScreen) argLines(args []arg, w int) (lines []string) {
	l := &s.app.look
	for _, one := range args {
		if one.name == "" {
			lines = append(lines, painted(l.info, wrap(one.value, w-2))...)
			continue
		}
		name := model.Line(one.name) + ": "
		for i, line := range wrap(name+strings.TrimSpace(one.value), w-2) {
			if rest, first := strings.CutPrefix(line, name); first && i == 0 {
				line = l.soft.Render(name) + rest
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func (s *needsScreen) drawArgs(b *block, d *contracts.Decision, args []arg, w int) {
	lines := indent(s.argLines(args, w))
	if s.hides(d, len(lines)) {
		more := model.Counted(len(lines)-argRows, "more line", "more lines")
		lines = append(lines[:argRows], s.app.look.need.Render("  … "+more+": D shows all of it"))
	}
	b.add(lines...)
}

// hides reports whether the card leaves out some of its arguments.
func (s *needsScreen) hides(d *contracts.Decision, lines int) bool {
	return lines > argRows+1 && s.whole != d.DecisionID
}
