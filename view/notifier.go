package view

import "sync"

// notifier wakes all waiters when something changes.
type notifier struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait returns a channel that the next notify closes. To avoid missing a notification, call wait,
// check the condition, and only then wait on the channel.
func (n *notifier) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch == nil {
		n.ch = make(chan struct{})
	}
	return n.ch
}

func (n *notifier) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch != nil {
		close(n.ch)
		n.ch = nil
	}
}
