package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// TestFollowerWaitsFromTheBeginning: an office that goes away between the history
// and the first line of what follows is waited for like any other, and a message
// that could not be dealt with comes again (D1).
func TestFollowerWaitsFromTheBeginning(t *testing.T) {
	office, err := server.New(t.Context(), server.Config{Crew: server.CrewNone})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- office.Serve(ln) }()
	defer func() {
		if err := errors.Join(office.Shutdown(context.Background()), <-served); err != nil {
			t.Error(err)
		}
	}()

	away, notes := 2, []string{}
	f := follower{
		find: func() (*client, error) {
			if away--; away >= 0 {
				return nil, &exitError{code: exitNotRunning, err: errors.New("nobody is there")}
			}
			return newClient(newSettings(), "http://"+ln.Addr().String())
		},
		kinds: []string{string(contracts.KindEvent)},
		note:  func(format string, _ ...any) { notes = append(notes, format) },
	}
	arrived := errors.New("arrived")
	if err = f.run(t.Context(), func(entry) error { return arrived }); !errors.Is(err, arrived) {
		t.Fatalf("it gave up: %v", err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "waiting for it") {
		t.Errorf("it said %q, not once that it waits", notes)
	}
}
