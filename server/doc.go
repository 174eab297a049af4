// Package server assembles the program: one ledger, one office, one hub and one crew
// behind one gate, and the HTTP routes that belong to none of them.
//
// It guarantees: no request is served before the office has folded its ledger; ready
// means that a command would be carried out now; artifact content can be read but is
// never executed; Shutdown stops requests, viewers, crew, office and ledger in that
// order, so that everything acknowledged is on disk.
//
// It makes no decisions about the office.
package server
