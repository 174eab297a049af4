// Package cluster lets several nodes serve one office.
//
// Every node follows the ledger and serves viewers, hooks and peers. One node at a time holds the
// office's lease and writes; the others forward commands and facts to it. The lease only determines
// which node should write: the ledger fences off a node that has lost the lease. A vault keeps the
// credentials that are valid on all nodes.
package cluster
