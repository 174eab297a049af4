// Package group runs goroutines that are stopped together.
package group

import (
	"context"
	"sync"
)

// Group runs functions until Stop. The zero value works and ignores errors. Its methods can be called
// concurrently.
type Group struct {
	Failed chan<- error // receives the error of a function that fails before Stop, unless the channel is full

	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	stopped bool
}

// Go runs fn in a goroutine; Stop cancels fn's context. After Stop, Go does nothing.
func (g *Group) Go(fn func(context.Context) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return
	}
	if g.ctx == nil {
		g.ctx, g.cancel = context.WithCancel(context.Background())
	}
	ctx := g.ctx
	g.running.Go(func() {
		if err := fn(ctx); err != nil && ctx.Err() == nil {
			select {
			case g.Failed <- err:
			default:
			}
		}
	})
}

// Stop cancels the context of all functions and waits until they have returned.
func (g *Group) Stop() {
	g.mu.Lock()
	g.stopped = true
	if g.cancel != nil {
		g.cancel()
	}
	g.mu.Unlock()
	g.running.Wait()
}
