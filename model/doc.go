// Package model is the office as its viewers see it: a fold of the server's messages, the
// same as web/src/world and web/src/hud make. The terminal draws it, and the view lists
// what waits for a person by its rules.
//
// Messages may come in any order and more than once; the newest snapshot plus the
// records after it, in ledger order, give the world. Where an agent stands is a
// function of its goal and the server's clock. The words for everything are the
// ones that the browser uses.
//
// It is pure: it does no IO and asks for the time only through the clock that it
// was given. It never draws.
package model
