package watch

import (
	"net/http"
	"testing"
	"time"
)

// A session that the office runs itself is not recorded again, whether from hooks or from the
// spool; its hooks receive an empty response.
func TestOwnSessionsAreIgnored(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.Ignore = func(session string) bool { return session == recorded }
		for _, body := range recordedHooks(t) {
			if status, answer, _ := r.post(body); status != http.StatusOK || answer != "" {
				t.Fatalf("%d %q for %s", status, answer, body)
			}
			if err := r.RecordSpooled(t.Context(), time.Now(), []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		r.settle()
		if got := r.hud(); len(got) > 0 {
			t.Errorf("%d facts were recorded", len(got))
		}
		r.post(`{"session_id":"s","prompt_id":"p","hook_event_name":"UserPromptSubmit","prompt":"hello"}`)
		r.settle()
		if got := r.hud(); len(got) == 0 {
			t.Error("another session is ignored as well")
		}
	})
}
