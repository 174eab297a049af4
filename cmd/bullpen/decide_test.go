package main

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// A refused id is reported as unknown only if it is not among the rows: its project may have been
// created after the refusal.
func TestUnknownID(t *testing.T) {
	rows := &model.Rows{Projects: []contracts.Project{{ProjectID: "proj_p1"}}}
	if err := unknownID(rows, contracts.AutoAssign{ProjectID: "proj_p1"}); err != nil {
		t.Errorf("a project created after the refusal: %v", err)
	}
	if err := unknownID(rows, contracts.AutoAssign{ProjectID: "proj_p2"}); err == nil || !strings.Contains(err.Error(), "known: proj_p1") {
		t.Errorf("an unknown project: %v", err)
	}
}
