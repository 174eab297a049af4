// Package model is a viewer's copy of the office: a fold of the server's messages, with the same
// rules as web/src/world and web/src/hud. The terminal draws it, and package view uses its rules to
// list everything that waits for a person.
//
// Messages may arrive in any order and more than once; the newest snapshot plus the records after
// it, in ledger order, give the world. Positions are a function of goal and server clock. All
// labels are the same as in the browser.
//
// The package is pure: it does no IO, draws nothing, and reads the time only from the clock passed
// in.
package model
