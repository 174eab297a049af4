package tui

import (
	"sync"

	"github.com/bullpen-office/bullpen/tui/link"
)

// updateQueue queues updates from the connection for the UI. Updates that arrive in quick
// succession share one wake-up, so a burst costs one frame, not thousands.
type updateQueue struct {
	mu     sync.Mutex
	list   []link.Update
	waking bool
	wake   func()
}

func (q *updateQueue) push(u link.Update) {
	q.mu.Lock()
	q.list = append(q.list, u)
	first := !q.waking
	q.waking = true
	q.mu.Unlock()
	if first && q.wake != nil {
		q.wake()
	}
}

func (q *updateQueue) drain() []link.Update {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list, q.waking = nil, false
	return list
}
