package tui

import (
	"sync"

	"github.com/bullpen-office/bullpen/tui/link"
)

// newsbox holds what the connection tells until the screen takes it in. Much news
// is one waking, so that a flood costs one frame and not thousands.
type newsbox struct {
	mu     sync.Mutex
	list   []link.Update
	waking bool
	wake   func()
}

func (n *newsbox) tell(u link.Update) {
	n.mu.Lock()
	n.list = append(n.list, u)
	first := !n.waking
	n.waking = true
	n.mu.Unlock()
	if first && n.wake != nil {
		n.wake()
	}
}

func (n *newsbox) drain() []link.Update {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.list
	n.list, n.waking = nil, false
	return list
}
