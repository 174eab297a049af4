package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// findAgent returns the id of an agent, given its id or name. An id is returned without a check, so
// that a token can be created before its agent joins. A name is looked up in the running office and
// must be unique.
func findAgent(ctx context.Context, s *settings, nameOrID string) (string, error) {
	if nameOrID == "" || contracts.HasPrefix(nameOrID, contracts.PrefixAgent) {
		return nameOrID, nil
	}
	cl, err := newClient(s, "")
	if err != nil {
		return "", fmt.Errorf("%q is not an agent id, and names can only be looked up in a running office: %w", nameOrID, err)
	}
	var state contracts.Snapshot
	if err := cl.get(ctx, "/v1/state", &state); err != nil {
		return "", err
	}
	var found []string
	var refs []agentRef
	for _, a := range state.Agents {
		refs = append(refs, agentRef{a.AgentID, a.Name})
		if strings.EqualFold(a.Name, nameOrID) {
			found = append(found, a.AgentID)
		}
	}
	switch len(found) {
	case 0:
		return "", usageError("%s For a script with this name that has not joined yet, use --agent %s", sentence(noAgent(nameOrID, refs)), contracts.AgentIDOf(nameOrID))
	case 1:
		return found[0], nil
	}
	return "", usageError("%d agents are named %q; use an id: %s", len(found), nameOrID, joined(found))
}

// sentence adds a full stop to text, unless it ends with a question mark.
func sentence(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

func boundTo(agentID string) string {
	if agentID == "" {
		return ""
	}
	return ", bound to " + agentID
}
