// Package server assembles the program: one ledger, one office, one hub and one crew
// behind one gate, and the HTTP routes that belong to none of them.
//
// It makes no decisions about the office, and guarantees:
//   - No request is served before the office has folded its ledger.
//   - A server that reports that it is ready can carry out commands.
//   - Artifact content can be read but is never executed.
//   - Shutdown stops requests, viewers, crew, office and ledger in that order, so that
//     everything acknowledged is on disk.
package server
