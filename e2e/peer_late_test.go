//go:build unix

package e2e_test

import (
	"context"
	"testing"

	"github.com/bullpen-office/bullpen/server"
)

// B8: a peer that follows the bridge protocol but leaves one question unanswered, or answers late,
// still works: every caller gets the answer to its own question.
func TestLatePeersStayUsable(t *testing.T) {
	t.Parallel()
	d := startOpenAI(t, server.Config{Crew: server.CrewNone})
	for _, script := range []string{"lapse", "behind"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			d := &openAIServer{t: t, addr: d.addr, data: d.data}
			session := "dev::" + script
			p := d.fakepeer(session, script)
			ctx, hangUp := context.WithCancel(t.Context())
			left := make(chan string, 1)
			go func() { left <- d.ask(ctx, session, nil) }()
			p.says("inbound")
			hangUp()
			<-left
			p.says("cancel")
			for range 3 {
				if got := d.ask(t.Context(), session, nil); got != "echo: Hi" {
					t.Errorf("the caller got %q", got)
				}
			}
		})
	}
}
