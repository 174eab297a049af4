package contracts

// OutpostLink is the state of an outpost's connection.
type OutpostLink string

// The states of an outpost's connection.
const (
	OutpostLinkUp     OutpostLink = "connected"
	OutpostLinkSilent OutpostLink = "silent" // no report for OutpostSilence; its agents keep their status until OutpostOfflineAfter
	OutpostLinkDown   OutpostLink = "gone"   // the outpost has left or was declared gone; its agents are offline
)

// OutpostHealth describes an outpost in /readyz, in the list of connections and in explanations of
// its agents.
type OutpostHealth struct {
	Name     string      `json:"name"`
	State    OutpostLink `json:"state"`
	Since    int64       `json:"since,omitzero"`     // when it connected, in Unix milliseconds; 0 if it has not connected since the office started
	LastSeen int64       `json:"last_seen,omitzero"` // when it last reported, in Unix milliseconds; 0 if it has not reported since the office started
	Version  string      `json:"version,omitzero"`   // Bullpen version of the outpost
	Agents   int         `json:"agents"`             // number of the outpost's agents in the office
	Problem  string      `json:"problem,omitzero"`   // the problem and what to do about it
}
