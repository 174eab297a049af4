package e2e_test

import (
	"errors"
	"fmt"
)

// person is a scripted user with a request. It answers questions, approves deliverables, and
// remembers what it has seen across connections.
type person struct {
	name     string
	token    string // operator token; may be empty
	v        *viewer
	commands map[string]pending // commands without a response, by id
	order    []string           // ids of pending commands, in the order they were sent
	answered map[string]message // ack or error by command id
	seen     []ledgered         // every ledgered message, in order of arrival
	cursor   uint64
	snapshot string // id of the last snapshot
	began    uint64 // seq of the first snapshot: everything after it must be seen
	project  string
	done     bool // whether the project is completed
	trophy   bool
	changed  bool // whether changes were requested once
	n        int
}

type pending struct {
	name string
	data message
}

// ledgered is a message that a client must receive exactly once.
type ledgered struct {
	seq uint64
	id  string
}

func newPerson(name string) *person {
	return &person{name: name, commands: map[string]pending{}, answered: map[string]message{}}
}

// arrive connects, resumes unless this is the first connection, and sends unanswered commands
// again.
func (p *person) arrive(addr string) (resumed message, err error) {
	if p.v, err = dialAs(addr, p.token); err != nil {
		return nil, err
	}
	var resume message
	if p.snapshot != "" {
		resume = message{"last_seq": p.cursor, "last_snapshot_id": p.snapshot, "scene_id": "cozy_office_v0"}
	}
	ack, err := p.v.enter(p.name, resume)
	if err != nil {
		return nil, err
	}
	for _, id := range p.order {
		if c, open := p.commands[id]; open {
			if err := p.v.command(id, c.name, c.data); err != nil {
				return nil, err
			}
		}
	}
	return ack, nil
}

func (p *person) give(name string, data message) error {
	p.n++
	id := fmt.Sprintf("cmd_%s_%d", p.name, p.n)
	p.commands[id], p.order = pending{name, data}, append(p.order, id)
	return p.v.command(id, name, data) // sent again if the connection breaks
}

// errCut means that the connection ended, as opposed to a protocol error.
var errCut = errors.New("the connection was cut")

// watch reads and reacts until the project is completed. It fails with errCut when the connection
// ends, and with another error if the server broke a guarantee.
func (p *person) watch() error {
	for !p.done {
		m, err := p.v.next(testTimeout)
		if err == nil {
			err = p.react(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *person) react(m message) error {
	pl := m.payload()
	switch m.str("type") {
	case "ack", "error":
		id := pl.str("in_reply_to")
		if _, twice := p.answered[id]; twice {
			return fmt.Errorf("%s got a second response: %v", id, m)
		}
		p.answered[id] = m
		delete(p.commands, id)
		if s, ok := m.at("payload.result.project_id").(string); ok && p.project == "" {
			p.project = s
		}
	case "snapshot":
		if p.snapshot == "" {
			p.began = pl.seq()
		}
		p.snapshot = m.str("id")
		p.cursor = max(p.cursor, pl.seq())
	case "event", "agent_goal", "chat", "hud":
		if pl.seq() == 0 {
			return nil // a resync notice for this connection
		}
		if pl.seq() <= p.cursor && len(p.seen) > 0 && pl.seq() <= p.seen[len(p.seen)-1].seq {
			return fmt.Errorf("record %d arrived after %d: %v", pl.seq(), p.cursor, m)
		}
		p.cursor = pl.seq()
		p.seen = append(p.seen, ledgered{pl.seq(), m.str("id")})
		if m.str("type") == "event" {
			return p.event(pl)
		}
	}
	return nil
}

func (p *person) event(e message) error {
	switch e.str("name") {
	case "kickoff_finished":
		return p.give("auto_assign", message{"project_id": e.str("project_id")})
	case "decision_requested":
		choice, _ := e.at("decision.options.0").(string)
		return p.give("resolve_decision", message{"decision_id": e.str("decision_id"), "choice": choice})
	case "review_requested":
		if !p.changed {
			p.changed = true
			return p.give("request_changes", message{"artifact_id": e.str("artifact_id"), "instructions": "Make it shorter."})
		}
		return p.give("approve_artifact", message{"artifact_id": e.str("artifact_id")})
	case "project_completed":
		p.done, p.trophy = true, e["decor"] != nil
	}
	return nil
}
