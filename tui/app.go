package tui

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// The smallest usable terminal.
const (
	leastWidth  = 60
	leastHeight = 16
)

// The time between redraws: while agents are walking, and while none are.
const (
	walkTick = 125 * time.Millisecond
	calmTick = time.Second
)

// connection is the part of link.Link that the app uses; tests replace it.
type connection interface {
	Do(ctx context.Context, data contracts.CommandData) link.Reply
	Get(ctx context.Context, path string, limit int64) ([]byte, error)
	GetJSON(ctx context.Context, path string, out any) error
	Older(ctx context.Context, before uint64) (list []model.Message, next uint64, done bool)
	RetryNow()
}

// screen is one view. Keys that it does not handle go to the global shortcuts.
type screen interface {
	draw(w, h int) block
	key(k string) (tea.Cmd, bool)
	scroll(by int)
	hints() []hint
}

// hint is a key and its effect on the current screen.
type hint struct{ key, does string }

// app is the terminal program: the model of the office and the state of the UI.
type app struct {
	ctx     context.Context
	conn    connection
	office  *model.Office
	state   link.State
	updates *updateQueue
	local   func() time.Time
	look    look
	canvas  *canvas // nil without a terminal, as in tests
	w, h    int

	tabs        []tab
	at          int
	open        []screen // screens on top of the tab, topmost last
	dialog      dialog
	composer    *composer
	drafts      map[string]string         // unsent text, by composer name
	repo        string                    // the repository of the next request; empty for none
	accept      []string                  // the acceptance checks for the next request
	comments    map[string][]work.Comment // comments on lines of patches, by artifact id
	constraints map[string]string         // constraints of the next request
	planFirst   bool                      // the plan of the next request waits for approval

	selected, follow string // agent ids
	part             string // id of the part of the campus that the floor map shows
	project          string // id of the project on the board; empty means the most important one
	seen             map[string]uint64
	toasts           []toast
	dismissed        map[string]bool
	openNeeds        map[string]string // agents and titles of the open needs, by ref
	sent             map[string]bool   // answered needs, by ref
	undoable         []*pendingAnswer  // answers that can still be undone, oldest first
	refused          map[string]string // why an answer was refused, by ref
	zones            []zone
	gen              int // number of the newest tick; older ticks are ignored
	after            func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	quick            bool
	entered          bool
}

type updatesMsg struct{}

type tickMsg struct{ gen int }

// newApp returns the terminal program for a connection.
func newApp(ctx context.Context, conn connection, updates *updateQueue, local func() time.Time, l look) *app {
	a := &app{
		ctx: ctx, conn: conn, updates: updates, local: local, look: l, office: model.New(func() int64 { return local().UnixMilli() }),
		state: link.State{Phase: link.Connecting}, drafts: map[string]string{}, comments: map[string][]work.Comment{}, constraints: map[string]string{}, seen: map[string]uint64{},
		dismissed: map[string]bool{}, openNeeds: map[string]string{}, sent: map[string]bool{}, refused: map[string]string{}, after: tea.Tick,
	}
	a.tabs = newTabs(a)
	return a
}

// Init requests the terminal's background colour, to choose readable colours, and starts the
// clock.
func (a *app) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, a.tick()) }

// Update handles one message. Afterwards it arms the open card and loads the selected task's result
// and the open deliverable, because msg may have changed any of them.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.take(msg)
	return a, tea.Batch(cmd, a.needsScreen().arm(), a.boardScreen().peek(), a.rereadArtifact())
}

func (a *app) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a.resize(msg.Width, msg.Height)
	case drawnMsg:
		return tea.ClearScreen
	case tea.BackgroundColorMsg:
		a.look = newLook(msg.IsDark(), a.look.ascii)
	case updatesMsg:
		return a.applyUpdates()
	case tickMsg:
		if msg.gen == a.gen {
			a.forgetToasts()
			return tea.Batch(a.sendDue(), a.tick())
		}
	case answersDueMsg:
		return a.sendDue()
	case doneMsg:
		return msg.then()
	case tea.KeyPressMsg:
		return a.press(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseClickMsg:
		return a.click(msg)
	case tea.MouseWheelMsg:
		a.wheel(msg)
	}
	return nil
}

// tick schedules the next redraw, which comes sooner while agents are walking on the visible floor.
func (a *app) tick() tea.Cmd {
	a.gen++
	gen, wait := a.gen, calmTick
	if a.quick = a.watchesWalk(); a.quick {
		wait = walkTick
	}
	return a.after(wait, func(time.Time) tea.Msg { return tickMsg{gen} })
}

func (a *app) watchesWalk() bool {
	_, floor := a.screen().(*officeScreen)
	return floor && a.office.Moving()
}

// applyUpdates applies the queued updates from the office.
func (a *app) applyUpdates() tea.Cmd {
	for _, u := range a.updates.drain() {
		if u.Reset {
			a.reset()
		}
		a.office.Apply(u.Messages...)
		for _, m := range u.Messages {
			a.toastEvent(m)
		}
		if u.Scene != nil {
			a.office.Scene = u.Scene
		}
		if u.State != nil {
			a.state = *u.State
		}
	}
	a.watchNeeds()
	var tick tea.Cmd
	if !a.quick && a.watchesWalk() {
		tick = a.tick()
	}
	return tea.Batch(tick, a.enter())
}

// reset drops state that refers to the previous history: ids that mean nothing in the new history,
// and text that a redaction may have erased.
func (a *app) reset() {
	a.office.Reset()
	a.forgetTexts()
	clear(a.seen)
	clear(a.dismissed)
	clear(a.sent)
	clear(a.refused)
	a.withdraw(nil)
	a.tabs[tabTimeline].screen = &timelineScreen{app: a}
}

// forgetTexts drops text that is kept outside the model. Screens and dialogs that show such text are
// closed, except deliverables, which are loaded again.
func (a *app) forgetTexts() {
	a.toasts = nil
	if _, page := a.dialog.(*pageDialog); page {
		a.dialog = nil
	}
	a.boardScreen().result = nil
	a.activityScreen().forget()
	a.open = slices.DeleteFunc(a.open, func(s screen) bool { _, work := s.(*workScreen); return work })
	for _, s := range a.open {
		if artifact, ok := s.(*artifactScreen); ok {
			artifact.forget()
		}
	}
}

// enter places the user's avatar in the office, so that an agent with a question can walk up to the
// user. It does so once per connection, because a restarted server has lost the position.
func (a *app) enter() tea.Cmd {
	if a.state.Phase != link.Live {
		a.entered = false
		return nil
	}
	if a.entered || a.office.Scene == nil || a.disabledReason() != "" {
		return nil
	}
	a.entered = true
	data := contracts.PlayerPos{Pos: a.office.Scene.Spawns.Player}
	return later(func() func() tea.Cmd {
		a.conn.Do(a.ctx, data) // the reply is ignored: the room may be full
		return func() tea.Cmd { return nil }
	})
}

// toastEvent shows a toast if m reports that a project was completed, unless m is from before this
// program connected.
func (a *app) toastEvent(m model.Message) {
	e, ok := m.Payload.(*contracts.Event)
	if !ok || e.Name != contracts.EventProjectCompleted || a.isPast(m) {
		return
	}
	title := e.ProjectID
	if p := a.office.Rows().Project(e.ProjectID); p != nil {
		title = p.Title
	}
	text := contracts.SayProjectFinished + ": " + title
	if e.Decor != nil {
		text = "★ A trophy for the shelf! " + text
	}
	a.toast(text, toneGood)
}

// isPast reports whether a message is from before this program connected, or is not in the feed.
func (a *app) isPast(m model.Message) bool {
	feed := a.office.Feed()
	for i := len(feed) - 1; i >= 0; i-- {
		if feed[i].ID == m.ID {
			return feed[i].Replay
		}
	}
	return true
}

// watchNeeds shows a toast for each withdrawn question, so that its card does not vanish without an
// explanation. It also drops the answers to needs that are gone.
func (a *app) watchNeeds() {
	rows := a.office.Rows()
	now := map[string]string{}
	for _, n := range rows.Needs() {
		who := contracts.SayScript
		if n.AgentID != "" {
			who = rows.NeedAgent(n)
		}
		now[n.Ref] = who + ": " + n.Title
	}
	for ref, title := range a.openNeeds {
		if d := rows.Decision(ref); now[ref] == "" && d != nil && d.Status == contracts.DecisionCancelled {
			reason := cmp.Or(d.Reason, contracts.SayWithdrawn)
			a.toast(fmt.Sprintf(contracts.SayNoAnswerNeeded, title, reason), tonePlain)
		}
	}
	maps.DeleteFunc(a.sent, func(ref string, _ bool) bool { return now[ref] == "" })
	maps.DeleteFunc(a.refused, func(ref string, _ string) bool { return now[ref] == "" })
	a.withdraw(now)
	a.openNeeds = now
}

// screen returns the visible screen: the topmost open one, or else the current tab's.
func (a *app) screen() screen {
	if n := len(a.open); n > 0 {
		return a.open[n-1]
	}
	return a.tabs[a.at].screen
}
