package tui

import (
	"cmp"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// paletteEntry is an entry in the command palette.
type paletteEntry struct {
	kind, label, hint string
	run               func() tea.Cmd
}

// paletteDialog is the command palette: it searches actions, agents, studios, tasks, deliverables
// and projects.
type paletteDialog struct {
	app   *app
	field textinput.Model
	all   []paletteEntry
	list  list
}

func newPalette(a *app) *paletteDialog {
	f := textinput.New()
	f.Prompt, f.Placeholder = "› ", contracts.SayFindHint
	styles := textinput.DefaultStyles(a.look.dark)
	styles.Cursor.Blink = false
	styles.Focused.Placeholder, styles.Focused.Prompt, styles.Focused.Text = a.look.soft, a.look.title, a.look.plain
	f.SetStyles(styles)
	f.Focus()
	return &paletteDialog{app: a, field: f, all: a.paletteEntries()}
}

// paletteEntries returns the entries of the command palette.
func (a *app) paletteEntries() []paletteEntry {
	rows := a.office.Rows()
	list := a.actions(rows)
	for _, p := range a.allAgents() {
		what := model.RoleWords(p.Role) + " · " + model.StateWords(p.State)
		if p.Source != "" {
			what = a.office.Rows().OriginWords(&p) + " · " + model.Doing(&p)
		}
		list = append(list, paletteEntry{contracts.SayThingAgent, p.Name, what, func() tea.Cmd { return a.show(model.Ref{Kind: "agent", ID: p.AgentID}) }})
	}
	for _, p := range a.studios() {
		list = append(list, paletteEntry{contracts.SayThingStudio, p.Label, rows.Tallies()[p.ID].Words(), func() tea.Cmd { a.showPart(p.ID); return nil }})
	}
	for _, t := range rows.Tasks {
		list = append(list, paletteEntry{contracts.SayThingTask, t.Title, model.TaskWords(t.Status), func() tea.Cmd { return a.show(model.Ref{Kind: "task", ID: t.TaskID}) }})
	}
	for _, r := range rows.Artifacts {
		title := cmp.Or(r.Title, r.Type)
		list = append(list, paletteEntry{contracts.SayThingDeliverable, title, "v" + itoa(r.Version), func() tea.Cmd { return a.openArtifact(r.ArtifactID) }})
	}
	for _, p := range rows.Projects {
		list = append(list, paletteEntry{contracts.SayThingProject, p.Title, model.ProjectWords(p.Status), func() tea.Cmd { return a.show(model.Ref{Kind: "project", ID: p.ProjectID}) }})
	}
	return list
}

func (a *app) actions(rows *model.Rows) []paletteEntry {
	tabTo := func(t int) func() tea.Cmd { return func() tea.Cmd { a.goTab(t); return nil } }
	list := []paletteEntry{
		{contracts.SayThingAction, contracts.SayAskTheOffice, "/", func() tea.Cmd { return a.compose(a.newRequest()) }},
		{contracts.SayThingAction, contracts.SayShowNeeds, "Space", a.nextNeed},
		{contracts.SayThingAction, contracts.SayOpenBoard, "B", tabTo(tabBoard)},
		{contracts.SayThingAction, contracts.SayChatWithOffice, "C", tabTo(tabChat)},
		{contracts.SayThingAction, contracts.SayShowPeople, "P", tabTo(tabPeople)},
		{contracts.SayThingAction, contracts.SayShowActivity, "A", tabTo(tabActivity)},
		{contracts.SayThingAction, "Show the timeline of events", "T", tabTo(tabTimeline)},
		{contracts.SayThingAction, "Show workflow messages", "L", func() tea.Cmd { a.readBulletin(); return nil }},
		{contracts.SayThingAction, "Connect real agents", "H", a.openConnect},
		{contracts.SayThingAction, "Show and revoke “Always allow” rules", "", a.openRules},
		{contracts.SayThingAction, contracts.SayViewKeys, "?", func() tea.Cmd { a.dialog = newHelp(a); return nil }},
		{contracts.SayThingAction, "Quit", "Q", a.quit},
	}
	for _, p := range rows.LiveProjects() {
		if len(rows.Unstarted(&p)) > 0 {
			list = append(list, paletteEntry{contracts.SayThingAction, fmt.Sprintf(contracts.SayAutoAssign, p.Title), "", func() tea.Cmd {
				return a.act(contracts.AutoAssign{ProjectID: p.ProjectID}, contracts.SayTasksAssigned, nil)
			}})
		}
	}
	return list
}

// matches returns the entries whose label or kind contains all typed words.
func (d *paletteDialog) matches() []paletteEntry {
	words := strings.Fields(strings.ToLower(d.field.Value()))
	var out []paletteEntry
next:
	for _, entry := range d.all {
		hay := strings.ToLower(entry.label + " " + entry.kind)
		for _, w := range words {
			if !strings.Contains(hay, w) {
				continue next
			}
		}
		out = append(out, entry)
	}
	return out
}

func (d *paletteDialog) scroll(by int) { d.list.move(by, len(d.matches())) }

func (d *paletteDialog) key(msg tea.KeyPressMsg) tea.Cmd {
	switch k := msg.String(); k {
	case "esc":
		d.app.dialog = nil
		return nil
	case "enter":
		return d.choose(d.list.at)
	case "up", "down", "pgup", "pgdown", "ctrl+p", "ctrl+n":
		d.scroll(step(k, 8))
		return nil
	}
	d.list = list{}
	var cmd tea.Cmd
	d.field, cmd = d.field.Update(msg)
	return cmd
}

func (d *paletteDialog) paste(msg tea.PasteMsg) tea.Cmd {
	var cmd tea.Cmd
	d.field, cmd = d.field.Update(tea.PasteMsg{Content: model.Line(msg.Content)})
	return cmd
}

func (d *paletteDialog) choose(i int) tea.Cmd {
	list := d.matches()
	if i >= len(list) {
		return nil
	}
	d.app.dialog = nil
	if c := d.app.composer; c != nil {
		c.leave()
	}
	return list[i].run()
}

func (d *paletteDialog) draw(w, h int) block {
	w, h = min(w-4, 76), min(h-4, 18)
	l := &d.app.look
	d.field.SetWidth(w - 8)
	var b block
	b.add(d.field.View(), l.rule.Render(strings.Repeat("─", w-4)))
	items := d.matches()
	if len(items) == 0 {
		b.add(l.soft.Render(contracts.SayNothingFound))
	}
	from, to := d.list.window(len(items), h-4)
	for i := from; i < to; i++ {
		it := items[i]
		label, right := "  "+model.Line(it.label), model.Line(it.hint)+"  "+it.kind
		row := split(label, l.soft.Render(clip(right, 34)), w-4)
		if i == d.list.at {
			row = l.picked.Render(split("›"+label[1:], clip(right, 34), w-4))
		}
		b.button(row, func() tea.Cmd { return d.choose(i) })
	}
	return l.box(contracts.SayFindAnything, b, w, h)
}
