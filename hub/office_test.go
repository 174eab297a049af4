package hub

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

var _ Office = (*office.Office)(nil)

// TestW10_TheRealOfficeBehindTheHub checks that a client receives the ack of a request first, then
// the records that the request caused, in the order that the Realtime World Protocol
// defines.
func TestW10_TheRealOfficeBehindTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := memoryLedger(t)
		defer l.Close()
		o, err := office.Open(t.Context(), office.Config{Ledger: l, Crew: []contracts.AgentProfile{
			{AgentID: contracts.AgentBD, Name: "Robin", Role: contracts.RoleBD},
			{AgentID: "agent_eng", Name: "Kim", Role: contracts.RoleEngineer},
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { o.Run(ctx) })
		defer wg.Wait()
		defer cancel()
		r := newRig(t, onLedger(l), withConfig(func(c *Config) { c.Office = o }))
		defer r.stop()
		c := r.connect(t)
		c.join()
		id := c.submit()
		if m := c.expect(contracts.TypeAck); m.InReplyTo != id {
			t.Errorf("got %s", m.raw)
		}
		first := c.next()
		if !strings.Contains(first.raw, `"name":"request_submitted"`) {
			t.Errorf("the first record is %s", first.raw)
		}
		c.write(`{"type":"command","id":"` + id + `","ts":1,"v":1,"payload":{"name":"submit_request","data":{"text":"do it"}}}`)
		for {
			m := c.next()
			if m.InReplyTo == id {
				if m.Type != contracts.TypeAck || !strings.Contains(m.raw, `"duplicate":true`) {
					t.Errorf("the same command again: %s", m.raw)
				}
				break
			}
		}
		time.Sleep(time.Second)
	})
}
