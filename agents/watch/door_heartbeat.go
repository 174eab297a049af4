package watch

import (
	"net/http"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/agents/hook"
)

// heartbeat sends status 102 to callers that request it: immediately, and then regularly until the
// response starts. Without a heartbeat, the hook command would time out before a person has
// answered.
type heartbeat struct {
	http.ResponseWriter
	mu   sync.Mutex
	over bool
}

// startHeartbeat starts a heartbeat if the request asks for one. It returns the writer to respond
// with; stop ends the heartbeat.
func startHeartbeat(rw http.ResponseWriter, r *http.Request) (_ http.ResponseWriter, stop func()) {
	if r.Header.Get(hook.HeartbeatHeader) == "" {
		return rw, func() {}
	}
	h := &heartbeat{ResponseWriter: rw}
	h.send()
	ticker, done := time.NewTicker(hook.Heartbeat), make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				h.send()
			case <-done:
				return
			}
		}
	}()
	return h, func() { h.end(); close(done) }
}

func (h *heartbeat) send() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.ResponseWriter.WriteHeader(http.StatusProcessing)
	}
}

func (h *heartbeat) end() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
}

func (h *heartbeat) WriteHeader(status int) {
	h.end()
	h.ResponseWriter.WriteHeader(status)
}

func (h *heartbeat) Write(b []byte) (int, error) {
	h.end()
	return h.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController access to the original writer.
func (h *heartbeat) Unwrap() http.ResponseWriter { return h.ResponseWriter }
