// Package guest describes agents that run outside the office and report through hooks and files:
// their names, their reports, and their open turns and calls. Vendors' translators produce the
// reports, and agents/watch records them.
//
// The package is pure.
package guest
