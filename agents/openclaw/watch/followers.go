package watch

import (
	"context"
	"net/http"
	"sync"

	"github.com/bullpen-office/bullpen/agents"
)

// Followers follow gateways together.
type Followers []*Follower

// Run follows every gateway until ctx ends.
func (fs Followers) Run(ctx context.Context) error {
	var running sync.WaitGroup
	for _, f := range fs {
		running.Go(func() { _ = f.Run(ctx) }) // a gateway that is away is a state, not an error
	}
	running.Wait()
	<-ctx.Done()
	return nil
}

// Doors are none: the office dials the gateways.
func (fs Followers) Doors() map[string]http.HandlerFunc { return nil }

// Workdir is empty: agents of a gateway may work on another machine.
func (fs Followers) Workdir(string) string { return "" }

// Close does nothing: no request waits.
func (fs Followers) Close() {}

// Links are the states of the gateways.
func (fs Followers) Links() (list []agents.Link) {
	for _, f := range fs {
		list = append(list, f.State())
	}
	return list
}
