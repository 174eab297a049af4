// Package cluster lets several nodes serve one office.
//
// Every node follows the ledger and serves viewers, hooks and peers. One node at a time
// holds the lease of the office and writes; the others forward commands and facts to it.
// The lease only says who should write: the ledger fences a node that has lost it. A vault keeps the
// credentials that are valid on all nodes.
package cluster
