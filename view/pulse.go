package view

import "sync"

// pulse wakes everybody who waits for something to change.
type pulse struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait is closed by the next beat. Take it before looking, then look, then wait:
// so no beat is missed.
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
