package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Limits on how many timeline rows and chat messages are kept. Frequent events have their own
// limit, so that they do not push out anything else.
const (
	limitFeed     = 5000
	limitChats    = 500
	limitFrequent = 200
)

// ChatRow is one chat message.
type ChatRow struct {
	ID     string
	Seq    uint64
	TS     int64
	Replay bool // whether it was sent before this client connected
	contracts.Chat
}

func (c ChatRow) key() string       { return c.ID }
func (c ChatRow) ledgerSeq() uint64 { return c.Seq }

// FeedRow is one line of the timeline.
type FeedRow struct {
	ID     string
	Seq    uint64
	TS     int64
	Replay bool
	Event  *contracts.Event
}

func (f FeedRow) key() string       { return f.ID }
func (f FeedRow) ledgerSeq() uint64 { return f.Seq }

// Office is a client's copy of the office's state: a fold of the server's messages. It is not
// safe for concurrent use.
type Office struct {
	Scene  *contracts.SceneManifest
	Seq    uint64 // the cursor: everything up to this seq has been applied
	Me     string // this client's player_id
	Access contracts.AccessRole
	Permit bool // whether this client may answer permission requests (S4)

	history  history
	clock    clock
	talk     orderedLog[ChatRow]
	lines    orderedLog[FeedRow]
	frequent orderedLog[FeedRow]
	bulletin bulletin
	activity activity
	streams  map[string]*Stream
	// catchingUp is true between hello_ack and the first snapshot after it; messages that arrive in
	// between are history.
	catchingUp bool
}

// New returns an empty office; local returns the local time in milliseconds.
func New(local func() int64) *Office {
	return &Office{
		Access: contracts.AccessViewer, history: newHistory(), clock: clock{local: local},
		talk: newOrderedLog[ChatRow](limitChats), lines: newOrderedLog[FeedRow](limitFeed), frequent: newOrderedLog[FeedRow](limitFrequent),
		bulletin: newBulletin(), streams: map[string]*Stream{}, catchingUp: true,
	}
}

// Reset clears everything that came from messages, because the server now has a different history.
// The scene and the clock are kept.
func (o *Office) Reset() {
	o.history, o.activity, o.Seq = newHistory(), activity{}, 0
	o.talk.clear()
	o.lines.clear()
	o.frequent.clear()
	o.bulletin.clear()
	clear(o.streams)
}

// Apply applies messages. They may arrive in any order and more than once.
func (o *Office) Apply(messages ...Message) {
	for _, m := range messages {
		o.apply(m)
	}
}

func (o *Office) apply(m Message) {
	past := o.catchingUp || m.Seq > 0 && o.history.includes(m.Seq)
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
		o.activity.apply(&fact, m.TS)
	case *contracts.UI:
		o.bulletin.apply(m, p, past)
	case *contracts.StreamDelta:
		o.streams[p.AgentID] = foldDelta(o.streams[p.AgentID], p)
	}
	if isFresh(m.Type) {
		o.clock.observe(m.TS)
	}
	o.Seq = max(o.Seq, m.Seq)
}

func (o *Office) event(m Message, e *contracts.Event, past bool) {
	row := FeedRow{m.ID, m.Seq, m.TS, past, e}
	if row.Seq == 0 {
		row.Seq = o.Seq // sent to this connection only; shown after the newest record
	}
	if e.Name == contracts.EventAgentStatus && !Answered(e) || e.Name == contracts.EventUsageReported {
		o.frequent.add(row)
		return
	}
	o.lines.add(row)
}

// isFresh reports whether messages of a type are created when they are sent, so that their
// timestamps show the server's time. Replayed records are not fresh.
func isFresh(t contracts.MessageType) bool {
	return t == contracts.TypeHelloAck || t == contracts.TypeSnapshot || t == contracts.TypePong || t == contracts.TypeAck
}

// dropStreams drops the streams of agents that have left.
func (o *Office) dropStreams() {
	maps.DeleteFunc(o.streams, func(id string, _ *Stream) bool { return o.history.rows.Agent(id) == nil })
}

// Rows returns the rows of the world. They must not be changed.
func (o *Office) Rows() *Rows { return &o.history.rows }

// Now returns the server's time in milliseconds.
func (o *Office) Now() int64 { return o.clock.now() }

// Chats returns the chat messages that are kept, newest last.
func (o *Office) Chats() []ChatRow { return o.talk.lines }

// Feed returns the timeline, newest last.
func (o *Office) Feed() []FeedRow { return o.lines.lines }

// Frequent returns status changes and usage reports, newest last.
func (o *Office) Frequent() []FeedRow { return o.frequent.lines }

// Statuses returns the runs' unexpired statuses, newest last.
func (o *Office) Statuses() []Status { return o.bulletin.current(o.Now()) }

// Notices returns the messages from workflows, newest last.
func (o *Office) Notices() []Notice { return o.bulletin.notices.lines }

// UILog returns the workflow events as they were received, newest last.
func (o *Office) UILog() []UIRow { return o.bulletin.log.lines }

// Activity returns the activity tree of all agents, newest last.
func (o *Office) Activity() []*Node { return o.activity.roots }

// ActivityOf returns one agent's part of the activity tree, newest last.
func (o *Office) ActivityOf(agent string) []*Node {
	var own []*Node
	for _, n := range o.activity.roots {
		if n.AgentID == agent {
			own = append(own, n)
		}
	}
	return own
}

// StreamOf returns the output that an agent is streaming, or nil if there is none.
func (o *Office) StreamOf(agent string) *Stream { return o.streams[agent] }

// Where returns an agent's current position and facing.
func (o *Office) Where(a *contracts.Agent) Standing {
	return position(a, o.history.motions[a.AgentID], o.Now())
}

// Moving reports whether anyone is walking.
func (o *Office) Moving() bool {
	return slices.ContainsFunc(o.history.rows.Agents, func(a contracts.Agent) bool { return o.Where(&a).Moving })
}

// EvidenceOf returns the evidence for the newest verdict on a guest, or nil if the guest's status
// does not match that verdict.
func (o *Office) EvidenceOf(a *contracts.Agent) []contracts.Evidence {
	v, known := o.history.verdicts[a.AgentID]
	if !known || a.Activity == "" || v.Activity != a.Activity || v.Authority != a.Authority || v.Why != a.Why {
		return nil
	}
	return v.Evidence
}

// WhyOf returns the reason for an agent's status or, if there is none, for its last goal.
func (o *Office) WhyOf(a *contracts.Agent) string {
	if m := o.history.motions[a.AgentID]; a.Why == "" && m != nil {
		return m.Why
	}
	return a.Why
}

// Threads returns the office's own thread, followed by all other threads that have messages.
func (o *Office) Threads() []string {
	list := []string{contracts.ThreadBD}
	for _, c := range o.talk.lines {
		if !slices.Contains(list, c.ThreadID) {
			list = append(list, c.ThreadID)
		}
	}
	return list
}

// ThreadName returns the display name of a thread.
func (o *Office) ThreadName(thread string) string {
	if thread == contracts.ThreadBD {
		return contracts.SayTheOffice
	}
	if agent, ok := strings.CutPrefix(thread, contracts.AgentThreadPx); ok {
		return o.Rows().Name(agent)
	}
	return thread
}
