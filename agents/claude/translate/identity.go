package translate

import "github.com/bullpen-office/bullpen/agents/guest"

// Source is this adapter's name in guest profiles and ids.
const Source = "claude"

// label is the name of a session without a directory.
const label = "Claude Code"

// Updates is everything to report after a hook, a transcript row or a timeout.
type Updates = guest.Updates

// Config configures a Session.
type Config = guest.Config

// AgentID returns the office's id for a session, or for one of its sub-agents if agent is set.
func AgentID(session, agent string) string { return guest.Source(Source).AgentID(session, agent) }
