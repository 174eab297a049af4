package view

import "sync"

// pulse wakes all waiters when something changes.
type pulse struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait returns a channel that the next beat closes. To avoid missing a beat, call wait,
// check the condition, and only then wait on the channel.
func (p *pulse) wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
	}
	return p.ch
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch != nil {
		close(p.ch)
		p.ch = nil
	}
}
