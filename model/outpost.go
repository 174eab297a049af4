package model

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// OutpostLinkWords returns the label for the state of an outpost's connection.
func OutpostLinkWords(l contracts.OutpostLink) string { return labelFor(contracts.OutpostLinkWords, l) }

// OutpostWords describes an outpost: how many agents it has in the office, its version, and when it
// connected or last reported. now is the office's time in Unix milliseconds.
func OutpostWords(h *contracts.OutpostHealth, now int64) string {
	parts := []string{contracts.SayOutpostAgents.Of(h.Agents)}
	if h.Version != "" {
		parts = append(parts, fmt.Sprintf(contracts.SayOutpostVersion, Line(h.Version)))
	}
	switch {
	case h.Since == 0:
	case h.State == contracts.OutpostLinkUp:
		parts = append(parts, fmt.Sprintf(contracts.SayOutpostSince, Ago(now-h.Since)))
	default:
		parts = append(parts, fmt.Sprintf(contracts.SayOutpostSeen, Ago(now-h.LastSeen)))
	}
	return strings.Join(parts, " · ")
}
