package watch

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
)

// Dial retries a gateway that is starting, disconnects once or is silent once, but not a gateway
// that is unreachable or rejects the token.
func TestDialRetriesABusyGateway(t *testing.T) {
	const starting = `{"code":"UNAVAILABLE","message":"gateway starting; retry shortly","retryable":true,"retryAfterMs":500}`
	for name, c := range map[string]struct {
		first func(theirs net.Conn) // serves the first connection; if nil, the fake gateway serves it
		ever  func(g *fakeGateway)
		dials int
		want  string // part of the error message
	}{
		"disconnects once": {first: func(theirs net.Conn) { _, _ = theirs.Read(make([]byte, 1<<10)); theirs.Close() }, dials: 2},
		"is silent once":   {first: func(net.Conn) {}, dials: 2},
		"never ready":      {ever: func(g *fakeGateway) { g.refuse = starting }, dials: dialTries, want: "is not ready yet"},
		"unreachable":      {ever: func(g *fakeGateway) { g.down = true }, dials: 1, want: "is not reachable"},
		"wrong token":      {ever: func(g *fakeGateway) { g.token = "another" }, dials: 1, want: "rejected the token"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newFake(t)
				if c.ever != nil {
					c.ever(g)
				}
				dials := 0
				dial := func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials++; dials == 1 && c.first != nil {
						ours, theirs := net.Pipe()
						go c.first(theirs)
						return ours, nil
					}
					return g.dial(ctx, network, address)
				}
				client, err := Dial(t.Context(), Config{URL: "ws://127.0.0.1:18789/", Token: "secret", Dial: dial})
				if dials != c.dials {
					t.Errorf("dialled %d times", dials)
				}
				if c.want == "" {
					if err != nil {
						t.Fatal(err)
					}
					client.Close()
					g.hang(true)
					return
				}
				if p := (*Problem)(nil); !errors.As(err, &p) || !strings.Contains(p.Saw, c.want) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}
