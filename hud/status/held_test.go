package status

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// The status of an agent with open calls or questions never expires. It is determined by the oldest
// question or, if there is none, by the newest call (A2).
func TestOpenCallsNeverExpire(t *testing.T) {
	if s, ok := Held(nil); ok {
		t.Errorf("nothing is open, got %+v", s)
	}
	open := []Evidence{
		{Source: contracts.FromStream, Claim: TurnStarted, Says: "a turn", At: 1},
		{Source: contracts.FromStream, Claim: ToolStarted, Says: "Bash", Line: "make", At: 3},
		{Source: contracts.FromStream, Claim: TurnStarted, Says: "another turn", At: 2},
	}
	s, ok := Held(open)
	if !ok || s.Activity != contracts.ActivityWorking || s.Why != "Working: make (stream: Bash)" || s.Since != 3 || len(s.Evidence) != 3 || s.Evidence[2].Says != "a turn" {
		t.Errorf("%+v", s)
	}
	for at := range int64(2) {
		open = append(open, Evidence{Source: contracts.FromStream, Claim: Asked, Says: "a permission", At: 5 - at})
	}
	if s, _ := Held(open); s.Activity != contracts.ActivityWaiting || s.Why != "Waiting for you: a permission (stream)" || s.Since != 4 || s.Authority != contracts.FromStream {
		t.Errorf("%+v", s)
	}
}
