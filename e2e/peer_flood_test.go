//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/server"
)

// B9: a peer that floods loses its turn together with its connection, even if it reconnects
// immediately, and the caller is notified.
func TestFloodingPeerLosesItsTurn(t *testing.T) {
	t.Parallel()
	d := startOpenAI(t, server.Config{Crew: server.CrewNone})
	p := d.fakepeer("dev::default", "flood")
	if got := d.ask(t.Context(), "dev::default", nil); !strings.HasPrefix(got, "flood flood ") || !strings.HasSuffix(got, "[agent_disconnected]") {
		t.Errorf("the caller got %.100q", got)
	}
	p.says("closed")
	p.kill()
	d.usable("dev::default")
}
