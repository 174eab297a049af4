package driven

import "sync"

// pulse tells once of a first sign of life.
type pulse struct {
	first func()

	mu    sync.Mutex
	heard bool
}

// lively reports whether the program did anything at all.
func (p *pulse) lively() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard
}

// sign notes a sign of life.
func (p *pulse) sign() {
	p.mu.Lock()
	first := !p.heard
	p.heard = true
	p.mu.Unlock()
	if first {
		p.first()
	}
}
