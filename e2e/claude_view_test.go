//go:build unix

package e2e_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// guests returns the Claude Code sessions in the office, by agent id.
func (d *desk) guests() map[string]message {
	d.t.Helper()
	found := map[string]message{}
	for _, a := range list(d.get("/v1/agents")["agents"]) {
		if a.str("source") == cmp.Or(d.source, "claude") {
			found[a.str("agent_id")] = a
		}
	}
	return found
}

// guest waits for the only session that is not a sub-agent, and returns it.
func (d *desk) guest() message {
	d.t.Helper()
	var found message
	until(d.t, "the session is in the office", func() bool {
		for _, a := range d.guests() {
			if a.str("parent_id") == "" {
				found = a
			}
		}
		return found != nil
	})
	return found
}

// doing waits until the guest has this activity, and returns its row.
func (d *desk) doing(id, activity string) message {
	d.t.Helper()
	var row message
	until(d.t, id+" is "+activity, func() bool {
		row = d.guests()[id]
		return row.str("activity") == activity
	})
	return row
}

// activity returns every HUD fact in the ledger, in order.
func (d *desk) activity() []message {
	d.t.Helper()
	var all []message
	for _, e := range list(d.get("/v1/events?kind=hud&limit=1000")["events"]) {
		all = append(all, e.payload())
	}
	return all
}

// tally counts facts by event, by event and correlation id, and by event and tool.
func tally(facts []message) map[string]int {
	count := map[string]int{}
	for _, f := range facts {
		count[f.str("event")]++
		if id := f.str("correlationId"); id != "" {
			count[f.str("event")+" "+id]++
		}
		if tool := f.str("tool"); tool != "" {
			count[f.str("event")+" "+tool]++
		}
	}
	return count
}

func (d *desk) decision() message {
	d.t.Helper()
	var found message
	until(d.t, "a question waits for a person", func() bool {
		for _, q := range list(d.get("/v1/state")["decisions"]) {
			if q.str("status") == "open" {
				found = q
			}
		}
		return found != nil
	})
	return found
}

// decided waits until a question is no longer open, and returns it.
func (d *desk) decided(id string) message {
	d.t.Helper()
	var found message
	until(d.t, id+" is decided", func() bool {
		found = d.get("/v1/decisions/" + id)
		return found.str("status") != "open"
	})
	return found
}

// operator returns the owner token, which hooks and agents never receive.
func (d *desk) operator() string {
	d.t.Helper()
	token, err := os.ReadFile(filepath.Join(d.data, "token"))
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// give sends a command over the socket and returns the response. If token is empty, no token is sent.
func (d *desk) give(token, name string, data message) message {
	d.t.Helper()
	v, err := dialAs(d.addr, token)
	if err != nil {
		d.t.Fatal(err)
	}
	defer v.close()
	if _, err := v.enter("e2e", nil); err != nil {
		d.t.Fatal(err)
	}
	id := fmt.Sprintf("cmd_e2e_%d", time.Now().UnixNano())
	if err := v.command(id, name, data); err != nil {
		d.t.Fatal(err)
	}
	for {
		m, err := v.next(testTimeout)
		if err != nil {
			d.t.Fatalf("%s got no answer: %v", name, err)
		}
		if m.payload().str("in_reply_to") == id {
			return m
		}
	}
}

func list(v any) []message {
	var all []message
	rows, _ := v.([]any)
	for _, r := range rows {
		if m, ok := r.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
