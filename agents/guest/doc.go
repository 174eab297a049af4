// Package guest describes agents that run outside the office and report through hooks and files:
// their names, what a hook or a line of a file reports, and their open turns and calls. Vendors'
// translators produce it and agents/watch records it.
//
// It is pure.
package guest
