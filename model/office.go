package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Lines kept of the timeline and of all talk. What happens all the time is kept
// apart, so that it pushes nothing else out.
const (
	limitFeed   = 5000
	limitChats  = 500
	limitMurmur = 200
)

// ChatRow is one thing that was said.
type ChatRow struct {
	ID     string
	Seq    uint64
	TS     int64
	Replay bool // it was said before we were looking
	contracts.Chat
}

func (c ChatRow) key() string   { return c.ID }
func (c ChatRow) place() uint64 { return c.Seq }

// FeedRow is one line of the timeline.
type FeedRow struct {
	ID     string
	Seq    uint64
	TS     int64
	Replay bool
	Event  *contracts.Event
}

func (f FeedRow) key() string   { return f.ID }
func (f FeedRow) place() uint64 { return f.Seq }

// Office is what is known of the office: a fold of the server's messages. It is
// not safe for use by several goroutines.
type Office struct {
	Scene  *contracts.SceneManifest
	Seq    uint64 // the cursor: everything up to here was taken in
	Me     string // the own player_id
	Access contracts.AccessRole
	Permit bool // whether we may answer permissions (S4)

	history  history
	clock    clock
	talk     shelf[ChatRow]
	lines    shelf[FeedRow]
	murmured shelf[FeedRow]
	bulletin bulletin
	activity activity
	streams  map[string]*Stream
	// Between hello_ack and its snapshot: what comes is the past.
	catchingUp bool
}

// New makes an office of which nothing is known yet; local is the time in
// milliseconds.
func New(local func() int64) *Office {
	return &Office{
		Access: contracts.AccessViewer, history: newHistory(), clock: clock{local: local},
		talk: newShelf[ChatRow](limitChats), lines: newShelf[FeedRow](limitFeed), murmured: newShelf[FeedRow](limitMurmur),
		bulletin: newBulletin(), streams: map[string]*Stream{}, catchingUp: true,
	}
}

// Reset forgets everything that followed from messages: another history begins.
// The scene and the clock stay.
func (o *Office) Reset() {
	o.history, o.activity, o.Seq = newHistory(), activity{}, 0
	o.talk.clear()
	o.lines.clear()
	o.murmured.clear()
	o.bulletin.clear()
	clear(o.streams)
}

// Take takes messages in.
func (o *Office) Take(messages ...Message) {
	for _, m := range messages {
		o.take(m)
	}
}

func (o *Office) take(m Message) {
	past := o.catchingUp || m.Seq > 0 && o.history.holds(m.Seq)
	switch p := m.Payload.(type) {
	case *contracts.HelloAck:
		o.catchingUp = true
		o.Me, o.Access, o.Permit = p.PlayerID, p.Access, p.Permit
	case *contracts.Snapshot:
		o.history.snapshot(m, p)
		o.catchingUp = false
		o.dropStreams()
	case *contracts.Event:
		o.history.record(m)
		o.event(m, p, past)
	case *contracts.AgentGoal:
		o.history.record(m)
	case *contracts.Chat:
		o.talk.add(ChatRow{m.ID, m.Seq, m.TS, past, *p})
	case *contracts.HUD:
		fact := *p
		fact.Replay = fact.Replay || past
		o.activity.take(&fact, m.TS)
	case *contracts.UI:
		o.bulletin.take(m, p, past)
	case *contracts.StreamDelta:
		o.streams[p.AgentID] = foldDelta(o.streams[p.AgentID], p)
	}
	if isFresh(m.Type) {
		o.clock.hear(m.TS)
	}
	o.Seq = max(o.Seq, m.Seq)
}

func (o *Office) event(m Message, e *contracts.Event, past bool) {
	row := FeedRow{m.ID, m.Seq, m.TS, past, e}
	if row.Seq == 0 {
		row.Seq = o.Seq // of this connection only
	}
	if e.Name == contracts.EventAgentStatus && !Answered(e) || e.Name == contracts.EventUsageReported {
		o.murmured.add(row)
		return
	}
	o.lines.add(row)
}

// isFresh: what is made at the moment it is sent tells the time; a replayed
// record does not.
func isFresh(t contracts.MessageType) bool {
	return t == contracts.TypeHelloAck || t == contracts.TypeSnapshot || t == contracts.TypePong || t == contracts.TypeAck
}

// dropStreams: who left writes no more.
func (o *Office) dropStreams() {
	maps.DeleteFunc(o.streams, func(id string, _ *Stream) bool { return o.history.rows.Agent(id) == nil })
}

// Rows are the rows of the world. They are read, never changed.
func (o *Office) Rows() *Rows { return &o.history.rows }

// Now is the server's time in milliseconds.
func (o *Office) Now() int64 { return o.clock.now() }

// Chats is all talk, the newest last.
func (o *Office) Chats() []ChatRow { return o.talk.lines }

// Feed is the timeline, the newest last.
func (o *Office) Feed() []FeedRow { return o.lines.lines }

// Murmur is the changes of status and reports of usage.
func (o *Office) Murmur() []FeedRow { return o.murmured.lines }

// Statuses are what runs say that they do, as far as it still holds.
func (o *Office) Statuses() []Status { return o.bulletin.current(o.Now()) }

// Notices are the messages of workflows, the newest last.
func (o *Office) Notices() []Notice { return o.bulletin.notices.lines }

// UILog is the events of workflows as they came.
func (o *Office) UILog() []UIRow { return o.bulletin.log.lines }

// Activity is the tree of everybody's activity, the newest last.
func (o *Office) Activity() []*Node { return o.activity.roots }

// ActivityOf is the activity of one agent.
func (o *Office) ActivityOf(agent string) []*Node {
	var own []*Node
	for _, n := range o.activity.roots {
		if n.AgentID == agent {
			own = append(own, n)
		}
	}
	return own
}

// StreamOf is what an agent writes now, nil when nothing.
func (o *Office) StreamOf(agent string) *Stream { return o.streams[agent] }

// Where is where an agent stands now.
func (o *Office) Where(a *contracts.Agent) Standing {
	return position(a, o.history.motions[a.AgentID], o.Now())
}

// Moving reports whether anybody walks now.
func (o *Office) Moving() bool {
	return slices.ContainsFunc(o.history.rows.Agents, func(a contracts.Agent) bool { return o.Where(&a).Moving })
}

// EvidenceOf is what a verdict about a guest stood on, as long as the row says
// the same.
func (o *Office) EvidenceOf(a *contracts.Agent) []contracts.Evidence {
	v, known := o.history.verdicts[a.AgentID]
	if !known || a.Activity == "" || v.Activity != a.Activity || v.Authority != a.Authority || v.Why != a.Why {
		return nil
	}
	return v.Evidence
}

// WhyOf is why an agent does what it does.
func (o *Office) WhyOf(a *contracts.Agent) string {
	if m := o.history.motions[a.AgentID]; a.Why == "" && m != nil {
		return m.Why
	}
	return a.Why
}

// Threads are all threads with something in them, the office's own first.
func (o *Office) Threads() []string {
	list := []string{contracts.ThreadBD}
	for _, c := range o.talk.lines {
		if !slices.Contains(list, c.ThreadID) {
			list = append(list, c.ThreadID)
		}
	}
	return list
}

// ThreadName is what a thread is called.
func (o *Office) ThreadName(thread string) string {
	if thread == contracts.ThreadBD {
		return contracts.SayTheOffice
	}
	if agent, ok := strings.CutPrefix(thread, contracts.AgentThreadPx); ok {
		return o.Rows().Name(agent)
	}
	return thread
}
