package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// An id that the office refuses is always an error, even if the project was created after the
// refusal.
func TestUnknownIDIsAlwaysAnError(t *testing.T) {
	refused := errors.New("refused")
	rows := &model.Rows{Projects: []contracts.Project{{ProjectID: "proj_p1"}}}
	if err := unknownID(rows, contracts.AutoAssign{ProjectID: "proj_p1"}, refused); err != refused {
		t.Errorf("a project created after the refusal: %v", err)
	}
	if err := unknownID(rows, contracts.AutoAssign{ProjectID: "proj_p2"}, refused); err == nil || !strings.Contains(err.Error(), "known: proj_p1") {
		t.Errorf("an unknown project: %v", err)
	}
}
