// Package status decides what somebody who works elsewhere is doing, from
// evidence alone: hooks, transcripts, gateways, processes, silence.
//
// Every verdict names the one authority that decided it, says why, and until when
// it holds without new evidence: what nobody confirms decays, except a question
// that is still open. The order in which evidence arrives does not matter, only
// when it was seen; what claims to be from the future counts as of now. A living
// process is no work: only progress is. It is pure: time is passed in, and the
// same evidence gives the same verdict. Whatever is added, a Case stays small.
package status
