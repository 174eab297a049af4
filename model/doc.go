// Package model is a client's copy of the office: a fold of the server's messages, with the same
// rules as web/src/world and web/src/hud. The terminal draws it, and package view uses its rules to
// list everything that is waiting for a person.
//
// Messages may arrive in any order and more than once; the newest snapshot plus the records after
// it, in ledger order, determine the world. An agent's position depends only on its newest goal and
// the server's clock. All labels are the same as in the browser.
//
// The package is pure: it does no IO, draws nothing, and reads the time only from the clock that is
// passed in.
package model
