// Package server puts the parts together: one ledger, one office, one hub, one
// crew behind one gate, with the HTTP doors that belong to none of them.
//
// It guarantees: no door is open before the office has folded its ledger; ready
// means that a command would be carried out now; content of artifacts can be
// read and never executed; Shutdown ends in the order doors, viewers, crew,
// office, ledger, so that whatever was acknowledged is on disk.
//
// It decides nothing about the office.
package server
