package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// findAgent gives the id of an agent by id or by name. An id needs no server, so
// that a token can be made before its agent is there; a name is looked up in the
// running office and must be somebody's alone.
func findAgent(ctx context.Context, s *settings, nameOrID string) (string, error) {
	if nameOrID == "" || contracts.HasPrefix(nameOrID, contracts.PrefixAgent) {
		return nameOrID, nil
	}
	cl, err := newClient(s, "")
	if err != nil {
		return "", fmt.Errorf("%q is not an agent's id, and a name can only be looked up in a running office: %w", nameOrID, err)
	}
	var state contracts.Snapshot
	if err := cl.get(ctx, "/v1/state", &state); err != nil {
		return "", err
	}
	var found []string
	for _, a := range state.Agents {
		if strings.EqualFold(a.Name, nameOrID) {
			found = append(found, a.AgentID)
		}
	}
	switch len(found) {
	case 0:
		return "", usageError("nobody in the office is called %q: give the id; a script of this name will be %s", nameOrID, contracts.AgentIDOf(nameOrID))
	case 1:
		return found[0], nil
	}
	return "", usageError("%d people are called %q: give the id, one of %s", len(found), nameOrID, strings.Join(found, ", "))
}

func boundTo(agentID string) string {
	if agentID == "" {
		return ""
	}
	return ", for " + agentID + " only"
}
