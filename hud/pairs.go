package hud

import (
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Pairs remembers what is open in a feed, so that every start and every end is
// told once and ends find their starts. Its zero value works. It is bounded: of a
// session it remembers LimitOpenSpans starts and LimitEndedSpans ends, and it
// forgets the session that was quiet longest when there are more than
// LimitFeedSessions. It is not safe for concurrent use.
type Pairs struct {
	sessions map[string]*spans
	quiet    []string // sessions, the one heard of last at the end
}

// Opened is a start that has no end yet.
type Opened struct {
	HUD contracts.HUD
	At  int64 // Unix milliseconds
}

// spans are those of one session.
type spans struct {
	open  []Opened // oldest first
	ended map[spanKey]bool
	order []spanKey // of ended, a ring that begins at next
	next  int
}

// spanKey is what a start and its end share.
type spanKey struct{ sort, correlation string }

// Start takes a start up and reports whether it is to be told: false says that it
// was told before. A start without a correlation is found by its own id. When too
// much is open, the oldest is given up and returned, to be ended by EndOf.
func (p *Pairs) Start(h *contracts.HUD, at int64) (tell bool, givenUp []Opened) {
	if h.CorrelationID == "" {
		h.CorrelationID = h.UUID
	}
	s := p.session(h.Session)
	key := keyOf(h)
	if s.ended[key] || s.find(key) >= 0 {
		return false, nil
	}
	if len(s.open) >= contracts.LimitOpenSpans {
		givenUp = append(givenUp, s.close(0))
	}
	s.open = append(s.open, Opened{*h, at})
	return true, givenUp
}

// End finishes an end by its start and reports whether it is to be told: false
// says that it was told before. It is paired by correlation; one without belongs
// to the oldest start of its sort and tool. An end whose start was never seen is
// told as well, and says so in its payload.
func (p *Pairs) End(h *contracts.HUD, at int64) (tell bool) {
	s := p.session(h.Session)
	i := s.startOf(h)
	if i < 0 {
		if h.CorrelationID == "" {
			h.CorrelationID = h.UUID
		}
		if s.ended[keyOf(h)] {
			return false
		}
		h.Payload = jsontext.Value(`{"start":"not seen"}`)
		s.remember(keyOf(h))
		return true
	}
	o := s.close(i)
	h.CorrelationID = o.HUD.CorrelationID
	if h.ParentID == "" {
		h.ParentID = o.HUD.ParentID
	}
	if h.DurationMS == nil || *h.DurationMS == 0 {
		took := max(at-o.At, 0) // clocks jump
		h.DurationMS = &took
	}
	return true
}

// StartOf finds the open start that an end would close, for the tool and the
// arguments that a source tells only once.
func (p *Pairs) StartOf(h contracts.HUD) (Opened, bool) {
	h.CorrelationID = foreignID(h.CorrelationID)
	s := p.sessions[foreignID(h.Session)]
	if s == nil {
		return Opened{}, false
	}
	i := s.startOf(&h)
	if i < 0 {
		return Opened{}, false
	}
	return s.open[i], true
}

// Ended reports whether an end was told already.
func (p *Pairs) Ended(h contracts.HUD) bool {
	h.CorrelationID = foreignID(h.CorrelationID)
	s := p.sessions[foreignID(h.Session)]
	return s != nil && s.ended[keyOf(&h)]
}

// Open lists what is open in a session, oldest first; with a parent, only what
// lies in that turn.
func (p *Pairs) Open(session, parent string) (open []Opened) {
	s := p.sessions[foreignID(session)]
	if s == nil {
		return nil
	}
	for _, o := range s.open {
		if parent == "" || o.HUD.ParentID == foreignID(parent) {
			open = append(open, o)
		}
	}
	return open
}

// Leftover ends what a session has open, the newest first so that a turn ends
// after what lies in it, and remembers that. newID names each end.
func (p *Pairs) Leftover(session, parent string, at int64, failure string, newID func(start contracts.HUD) string) (ends []contracts.HUD) {
	for _, o := range slices.Backward(p.Open(session, parent)) {
		took := time.Duration(max(at-o.At, 0)) * time.Millisecond
		if end, ok := EndOf(o.HUD, newID(o.HUD), took, failure); ok && p.End(&end, at) {
			ends = append(ends, end)
		}
	}
	return ends
}

// Forget drops what is remembered of a session.
func (p *Pairs) Forget(session string) {
	session = foreignID(session)
	delete(p.sessions, session)
	p.quiet = slices.DeleteFunc(p.quiet, func(s string) bool { return s == session })
}

func (p *Pairs) session(name string) *spans {
	if p.sessions == nil {
		p.sessions = map[string]*spans{}
	}
	if len(p.quiet) == 0 || p.quiet[len(p.quiet)-1] != name {
		p.quiet = slices.DeleteFunc(p.quiet, func(s string) bool { return s == name })
		p.quiet = append(p.quiet, name)
	}
	s := p.sessions[name]
	if s == nil {
		s = &spans{ended: map[spanKey]bool{}}
		p.sessions[name] = s
	}
	if len(p.quiet) > contracts.LimitFeedSessions {
		p.Forget(p.quiet[0])
	}
	return s
}

func (s *spans) startOf(h *contracts.HUD) int {
	if h.CorrelationID != "" {
		return s.find(keyOf(h))
	}
	return slices.IndexFunc(s.open, func(o Opened) bool {
		return sortOf(o.HUD.Event) == sortOf(h.Event) && (h.Tool == "" || o.HUD.Tool == h.Tool)
	})
}

func (s *spans) find(key spanKey) int {
	return slices.IndexFunc(s.open, func(o Opened) bool { return keyOf(&o.HUD) == key })
}

func (s *spans) close(i int) Opened {
	o := s.open[i]
	s.open = slices.Delete(s.open, i, i+1)
	s.remember(keyOf(&o.HUD))
	return o
}

func (s *spans) remember(key spanKey) {
	s.ended[key] = true
	if len(s.order) < contracts.LimitEndedSpans {
		s.order = append(s.order, key)
		return
	}
	delete(s.ended, s.order[s.next])
	s.order[s.next] = key
	s.next = (s.next + 1) % len(s.order)
}

func keyOf(h *contracts.HUD) spanKey { return spanKey{sortOf(h.Event), h.CorrelationID} }

// sortOf is turn, think or tool.
func sortOf(e contracts.HUDEvent) string {
	sort, _, _ := strings.Cut(string(e), "_")
	return sort
}
