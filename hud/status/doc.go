// Package status decides what somebody who works elsewhere is doing, from
// evidence alone: hooks, transcripts, gateways, processes, silence.
//
// Every verdict names the one authority that decided it, why, and until when it
// holds without new evidence: what nobody confirms decays. It is pure: time is
// passed in, and the same evidence gives the same verdict.
package status
