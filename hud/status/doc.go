// Package status derives what an agent that works elsewhere is doing from evidence alone:
// hooks, transcripts, gateways, processes, silence.
//
// Every verdict names the one authority that decided it, the reason, and how long it holds without
// new evidence: an unconfirmed verdict decays, except an open question. The order in which evidence
// arrives does not matter, only when it was observed; evidence from the future counts as of now. A
// running process alone does not count as work: only progress does. The package is pure: time is
// passed in, and the same evidence gives the same verdict. A Case has a bounded size.
package status
