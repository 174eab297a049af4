// Package status derives the activity of an agent outside the office from evidence alone. The
// evidence comes from hooks, transcripts, gateways, processes, the vendors' own programs and silence.
//
// Every verdict contains the one authority that decided it, the reason, and how long it stays valid
// without new evidence: an unconfirmed verdict expires, unless the agent is offline or has an open
// question. Only the time when evidence was observed matters, not the order of arrival; evidence
// from the future counts as observed now. A running process alone does not count as work: only
// progress does. The package is pure: time is passed in, and the same evidence results in the same
// verdict. A Case has a bounded size.
package status
