package hub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

func retryAfter(t *testing.T, m message) time.Duration {
	t.Helper()
	var r contracts.Refusal
	if err := json.Unmarshal(m.Payload, &r); err != nil || r.Code != contracts.CodeRateLimited {
		t.Fatalf("want RATE_LIMITED, got %s (%v)", m.raw, err)
	}
	return time.Duration(r.RetryAfterMS) * time.Millisecond
}

func TestW10_CommandsAreLimitedInAnyWindow(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloPlain)
		assign := func() message {
			c.command("assign_task", `{"task_id":"task_1","agent_id":"agent_bd"}`)
			return c.next()
		}
		for i := range contracts.CommandsPerWindow {
			if m := assign(); m.Type != contracts.TypeAck {
				t.Fatalf("command %d: %s", i, m.raw)
			}
			time.Sleep(100 * time.Millisecond)
		}
		wait := retryAfter(t, assign())
		if want := contracts.CommandWindow - contracts.CommandsPerWindow*100*time.Millisecond; wait != want {
			t.Errorf("retry after %v, want %v", wait, want)
		}
		time.Sleep(wait - time.Millisecond)
		retryAfter(t, assign())
		time.Sleep(time.Millisecond)
		if m := assign(); m.Type != contracts.TypeAck {
			t.Errorf("after waiting: %s", m.raw)
		}
	})
}

func TestW10_RequestsAndChatsHaveTheirOwnMinute(t *testing.T) {
	for name, send := range map[string]func(*client){
		"submit_request": func(c *client) { c.submit() },
		"chat":           func(c *client) { c.send(contracts.TypeChat, `{"text":"hi"}`) },
		"chat command":   func(c *client) { c.command("chat", `{"text":"hi"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				c := r.connect(t)
				c.hello(helloPlain)
				for range contracts.RequestsPerMinute {
					send(c)
					c.expect(contracts.TypeAck)
					time.Sleep(time.Second)
				}
				send(c)
				wait := retryAfter(t, c.expect(contracts.TypeError))
				if want := time.Minute - contracts.RequestsPerMinute*time.Second; wait != want {
					t.Errorf("retry after %v, want %v", wait, want)
				}
			})
		})
	}
}

func TestW11_PlayerPosHasItsOwnBucket(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		r.office.do = func(contracts.Command) contracts.Reply { return contracts.Reply{} }
		c := r.connect(t)
		c.hello(helloPlain)
		pos := func(i int) message {
			c.command("player_pos", fmt.Sprintf(`{"pos":[%d,0,0]}`, i%3))
			return c.next()
		}
		for i := range contracts.PlayerPosPerSecond * 3 {
			if m := pos(i); m.Type != contracts.TypeAck {
				t.Fatalf("%d: %s", i, m.raw)
			}
			time.Sleep(100 * time.Millisecond)
		}
		for i := range contracts.PlayerPosPerSecond {
			pos(i)
		}
		retryAfter(t, pos(0))
		c.submit() // positions do not count as commands
		c.expect(contracts.TypeAck)
	})
}

func TestW18_FloodIsRefusedBeforeItIsParsed(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloPlain)
		for range contracts.InboundPerSecond - 1 {
			c.send(contracts.TypePing, `{}`)
			c.expect(contracts.TypePong)
		}
		for _, flood := range []struct{ msg, id string }{
			{`not even JSON`, contracts.UnknownMsgID},
			{`{"type":"ping","id":"cmd_1","ts":1,"v":1,"payload":{}}`, "cmd_1"},
			{`{"id":"cmd_2","payload":{"text":"` + strings.Repeat("x", contracts.LimitIDSearch) + `"}} and no JSON`, "cmd_2"},
			{`{"payload":{"text":"` + strings.Repeat("x", contracts.LimitIDSearch) + `"},"id":"far"}`, contracts.UnknownMsgID},
			{`{"id":"` + strings.Repeat("x", contracts.LimitID+1) + `"}`, contracts.UnknownMsgID},
		} {
			c.write(flood.msg)
			m := c.expect(contracts.TypeError)
			if retryAfter(t, m); m.InReplyTo != flood.id {
				t.Errorf("in reply to %q, want %q", m.InReplyTo, flood.id)
			}
		}
		time.Sleep(time.Second)
		c.send(contracts.TypePing, `{}`)
		c.expect(contracts.TypePong)
	})
}
