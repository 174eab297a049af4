package model

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestEndedSessionsAreMerged checks that the ended sessions in one folder become one row.
func TestEndedSessionsAreMerged(t *testing.T) {
	guest := func(id, place string, activity contracts.Activity, since int64) contracts.Agent {
		return contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: id, Source: "claude", Place: place}, Activity: activity, Since: since}
	}
	off, work := contracts.ActivityOffline, contracts.ActivityWorking
	rows, ended := MergeEnded([]contracts.Agent{
		guest("a", "~/shop", off, 5), guest("b", "~/shop", work, 1), guest("c", "~/shop", off, 9), guest("d", "~/blog", off, 2), guest("e", "~/shop", off, 7), guest("f", "", off, 1), guest("g", "", off, 1),
	})
	got := ""
	for _, r := range rows {
		got += r.AgentID
	}
	if got != "bcdfg" || EndedWords(ended["c"]) != "3 ended sessions" || EndedWords(ended["d"]) != "" {
		t.Errorf("rows %s, ended %v", got, ended)
	}
}
