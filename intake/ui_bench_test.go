package intake

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

type acceptingOffice struct{ seq uint64 }

func (o *acceptingOffice) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	replies := make([]contracts.Reply, len(facts))
	for i := range replies {
		o.seq++
		replies[i].Seq = o.seq
	}
	return replies
}

// BenchmarkEvent measures how long workflow events take to reach the office: a call that reads a
// small file, then its result.
func BenchmarkEvent(b *testing.B) {
	u := NewUI(UIConfig{
		Office: &acceptingOffice{}, Guests: stubGuests{}, Blobs: stubGuests{},
		Agent: func(id string) (contracts.AgentProfile, bool) {
			return contracts.AgentProfile{AgentID: id, Role: contracts.RoleGuest}, true
		},
		Principal: func(*http.Request) contracts.Principal { return contracts.Principal{ID: "local"} },
	})
	output := strings.Repeat(`package a\n`, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		name, payload := "abstract.tool_execution", `"arguments":{"path":"a.go"}`
		if i%2 == 1 {
			name, payload = "abstract.tool_result", `"success":true,"output":"`+output+`"`
		}
		body := fmt.Sprintf(`{"name":%q,"id":"bench-%d","agent":"bench 1","payload":{"tool":"read","call_id":"call_%d",%s}}`, name, i, i/2, payload)
		r := httptest.NewRequest(http.MethodPost, "/v1/events", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if u.ServeEvents(w, r); w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}
