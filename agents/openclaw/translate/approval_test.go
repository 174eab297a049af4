package translate

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A person is not asked about an approval that was only partly understood, but the approval is
// listed as pending.
func TestPartlyUnderstoodApprovalsAreNotAsked(t *testing.T) {
	r, _ := readerWithAgents(t)
	waiting, found, err := r.Approvals(jsontext.Value(`[
		{"id":"a1","request":{"command":["rm","-rf","~"],"agentId":"main"}},
		{"id":"a2","request":{"command":"ls","agentId":"main"}},
		"a3",
		{"id":"a4","request":"rm"}]`), 1)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, f := range found {
		if f.Approval != nil {
			asked = append(asked, f.Approval.ID)
		}
	}
	if !slices.Equal(waiting, []string{"a1", "a2", "a4"}) || !slices.Equal(asked, []string{"a2"}) {
		t.Errorf("waiting %q, asked %q", waiting, asked)
	}
}
