// Package translate translates spans that follow the GenAI conventions into facts and evidence
// about guests: invoke_agent becomes a turn, execute_tool becomes a call, and a model request
// becomes thinking and usage. A span is reported once it has ended, so its start and its end are
// recorded together, with their own times. Information that spans do not contain is left out, never
// guessed.
//
// It is pure. Reading a span twice yields the same facts, which are recorded only once.
package translate

import (
	"cmp"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/agents/otel/wire"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Source is the source name of guests that send spans.
const Source = "otel"

// OwnScope is the scope of the spans that offices export. Such spans are ignored, so that no office
// reports to itself.
const OwnScope = "github.com/bullpen-office/bullpen/export/otlp"

// Report contains everything that the spans of a request say about one guest.
type Report struct {
	Profile  contracts.AgentProfile
	Facts    []contracts.Fact // in chronological order
	Blobs    [][]byte         // results that facts refer to by hash
	Evidence []status.Evidence
	Spans    int64 // spans of this guest
}

// Reader translates the spans of requests. It remembers which traces report tokens for each model
// request: in those traces, the totals reported for agents must not be counted as well.
type Reader struct {
	Ours func(conversation string) bool // reports whether the office itself runs a conversation; nil means never

	counted map[string]bool
	order   []string // the keys of counted, oldest first
}

// Read returns a report for each guest, in the order of the guests' first spans. If agentID is set,
// all spans are about this agent.
func (r *Reader) Read(spans []wire.Span, agentID string) []Report {
	b := &batch{
		reader: r, agentID: agentID, spans: make(map[string]*wire.Span, len(spans)), roots: map[string]int64{},
		guests: map[string]*guest{}, named: map[[2]string]*guest{}, traces: map[string]string{},
	}
	var known []*wire.Span
	for i := range spans {
		s := &spans[i]
		if s.Scope == OwnScope || r.Ours != nil && r.Ours(s.Attributes.Text(keysConversation...)) {
			continue
		}
		if b.spans[s.Trace+s.ID] = s; s.Parent == "" {
			b.roots[s.Trace] = s.End
		}
		if k := kindOf(s); k != other {
			known = append(known, s)
			if k == think && usageOf(s).Reported() {
				r.markCounted(s.Trace)
			}
		}
	}
	for _, s := range known {
		b.read(s)
	}
	return b.reports()
}

// markCounted remembers that a trace reports tokens for each model request.
func (r *Reader) markCounted(trace string) {
	if r.counted[trace] {
		return
	}
	if r.counted == nil {
		r.counted = map[string]bool{}
	}
	if len(r.order) >= contracts.LimitOTelTraces {
		delete(r.counted, r.order[0])
		r.order = r.order[1:]
	}
	r.counted[trace] = true
	r.order = append(r.order, trace)
}

// batch holds the spans of one request.
type batch struct {
	reader  *Reader
	agentID string
	spans   map[string]*wire.Span // by trace and id
	roots   map[string]int64      // when root spans ended, by trace
	guests  map[string]*guest     // by agent id
	named   map[[2]string]*guest  // by service and name
	list    []*guest
	traces  map[string]string // the first half of fact ids, by trace
}

// guest collects everything that the spans say about one guest.
type guest struct {
	Report
	moments []moment
	signs   map[string]status.Evidence // the newest sign of activity, by trace
}

// moment is a fact with its time. Of several facts with the same time, those with a lower phase
// come first: a call ends before the next one starts, and turns start before calls and end after
// them.
type moment struct {
	at    int64
	phase int
	fact  contracts.Fact
}

const (
	phaseEnd = iota
	phaseTurnStart
	phaseStart
	phaseInstantEnd // end of a call that starts and ends at the same time
	phaseTurnEnd
)

// ancestors calls fn for a span and then for each of its ancestors in this request, innermost
// first, until fn returns true.
func (b *batch) ancestors(s *wire.Span, fn func(*wire.Span) bool) {
	for range contracts.LimitOTelAncestors {
		if s == nil || fn(s) || s.Parent == "" {
			return
		}
		s = b.spans[s.Trace+s.Parent]
	}
}

// guestOf returns the guest that a span is about: the agent named by the span or by its nearest
// ancestor that names one, or else the service.
func (b *batch) guestOf(s *wire.Span) *guest {
	name := ""
	b.ancestors(s, func(up *wire.Span) bool {
		name = up.Attributes.Text(keysAgent...)
		return name != ""
	})
	g := b.named[[2]string{s.Service, name}]
	if g != nil {
		return g
	}
	key := contracts.DerivedUUID(Source, s.Service, name)
	id := contracts.AgentIDOf(Source + "_" + key[:8])
	if b.agentID != "" {
		id = b.agentID
	}
	if g = b.guests[id]; g == nil {
		shown := contracts.Clip(contracts.CleanLine(cmp.Or(name, s.Service, "Unknown agent")), contracts.LimitName)
		g = &guest{signs: map[string]status.Evidence{}}
		g.Profile = contracts.AgentProfile{AgentID: id, Name: shown, Role: contracts.RoleGuest, Source: Source, Session: Source + ":" + key[:8]}
		b.guests[id] = g
		b.list = append(b.list, g)
	}
	b.named[[2]string{s.Service, name}] = g
	return g
}

// turnOf returns the id of the guest's turn that a call belongs to, or "" if the turn is not in this
// request.
func (b *batch) turnOf(s *wire.Span, g *guest) (id string) {
	b.ancestors(s, func(up *wire.Span) bool {
		if up != s && kindOf(up) == turn && b.guestOf(up) == g {
			id = up.ID
		}
		return id != ""
	})
	return id
}

// read adds the facts of a span.
func (b *batch) read(s *wire.Span) {
	g := b.guestOf(s)
	g.Spans++
	from := hud.Source{AgentID: g.Profile.AgentID, Session: g.Profile.Session, Origin: contracts.OriginOutside}
	if conversation := s.Attributes.Text(keysConversation...); conversation != "" {
		from.Session = Source + ":" + conversation
	}
	span, took := hud.Span{Correlation: s.ID}, min(time.Duration(s.End-s.Start)*time.Millisecond, contracts.LimitHUDDuration)
	first, last := b.factID(s, "start"), b.factID(s, "end")
	ends := phaseEnd
	if s.Start == s.End {
		ends = phaseInstantEnd
	}
	switch kindOf(s) {
	case turn:
		g.add(s.Start, phaseTurnStart, hud.TurnStart(from, first, span, s.Name))
		g.add(s.End, phaseTurnEnd, hud.TurnEnd(from, last, span, took, failureOf(s)))
		g.Evidence = append(g.Evidence,
			status.Evidence{Source: contracts.FromEvent, Claim: status.TurnStarted, Says: "span " + s.Name, At: s.Start},
			status.Evidence{Source: contracts.FromEvent, Claim: status.TurnEnded, Says: "span " + s.Name + " ended", At: s.End})
		if u := usageOf(s); u.Reported() && !b.reader.counted[s.Trace] {
			g.addUsage(s, s.ID, u)
		}
		return
	case call:
		span.Parent = b.turnOf(s, g)
		c := hud.Call{Tool: toolOf(s), Args: s.Attributes.JSON(keyArguments)}
		start := hud.ToolStart(from, first, span, c)
		end, whole := hud.ToolEnd(from, last, span, c, resultOf(s, c), took)
		g.add(s.Start, phaseStart, start)
		g.add(s.End, ends, end)
		if whole != nil {
			g.Blobs = append(g.Blobs, whole)
		}
		g.addSign(s, start.Label)
	case think:
		span.Parent = b.turnOf(s, g)
		g.add(s.Start, phaseStart, hud.ThinkStart(from, first, span))
		g.add(s.End, ends, hud.ThinkEnd(from, last, span, took, failureOf(s)))
		if u := usageOf(s); u.Reported() {
			u.At = s.End // usage of a single model request, not a total
			g.addUsage(s, span.Parent, u)
		}
		g.addSign(s, "Thinking")
	}
}

// factID returns the id of a fact about a span. The ids of facts from the same trace have the same
// first half, so that they are next to each other in the ledger's index; random ids would each be
// on a different page.
func (b *batch) factID(s *wire.Span, part string) string {
	const half = len("00000000-0000-0000")
	first, known := b.traces[s.Trace]
	if !known {
		first = contracts.DerivedUUID(Source, s.Trace)[:half]
		b.traces[s.Trace] = first
	}
	return first + contracts.DerivedUUID(Source, s.Trace, s.ID, part)[half:]
}

// resultOf returns the result of a tool call: the failure or the result that the span reports or,
// if it reports neither, {"ok":true}.
func resultOf(s *wire.Span, c hud.Call) any {
	if failure := failureOf(s); failure != "" {
		return hud.FailedCall(c, failure)
	}
	if result := s.Attributes.JSON(keyResult); result != nil {
		return hud.ValueResult(c, result, cmp.Or(s.Attributes.Text(keyResult), string(result)))
	}
	return map[string]bool{"ok": true}
}

func (g *guest) add(at int64, phase int, h contracts.HUD) {
	h.At = at
	g.moments = append(g.moments, moment{at, phase, contracts.HUDSeen{HUD: h, Once: true, Watch: Source}})
}

func (g *guest) addUsage(s *wire.Span, turnID string, u contracts.Usage) {
	fact := contracts.UsageSeen{Key: Source + "/" + s.Trace + "/" + s.ID, AgentID: g.Profile.AgentID, TurnID: turnID, Usage: u}
	g.moments = append(g.moments, moment{s.End, phaseTurnEnd, fact})
}

// addSign adds a sign of activity. Only the newest sign of each trace is kept.
func (g *guest) addSign(s *wire.Span, line string) {
	if s.End >= g.signs[s.Trace].At {
		g.signs[s.Trace] = status.Evidence{Source: contracts.FromEvent, Claim: status.Sign, Says: "span " + s.Name, Line: line, At: s.End}
	}
}

// reports returns the reports of all guests, with facts and evidence sorted by time. Once the root
// span of a trace has ended, the work in that trace is over.
func (b *batch) reports() []Report {
	var list []Report
	for _, g := range b.list {
		if g.Spans == 0 {
			continue
		}
		slices.SortStableFunc(g.moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.phase, b.phase)) })
		for _, m := range g.moments {
			g.Facts = append(g.Facts, m.fact)
		}
		for trace, sign := range g.signs {
			g.Evidence = append(g.Evidence, sign)
			if end, ok := b.roots[trace]; ok {
				g.Evidence = append(g.Evidence, status.Evidence{Source: contracts.FromEvent, Claim: status.TurnEnded, Says: "trace ended", At: max(end, sign.At)})
			}
		}
		slices.SortStableFunc(g.Evidence, func(a, b status.Evidence) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Claim, b.Claim)) })
		list = append(list, g.Report)
	}
	return list
}
