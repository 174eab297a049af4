// Package translate reads messages of the Agent Client Protocol (ACP), version 1, and translates
// them into the office's calls, results, permissions and usage.
//
// It is pure and tolerant: members of an unexpected type count as absent, and an update of an
// unknown kind is never read as another kind.
package translate
