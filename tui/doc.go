// Package tui is the office in a terminal: the same state, the same words and the
// same commands as in the browser, by the same public protocol.
//
// It shows nothing that the server did not say and keeps no state of the office of
// its own: package model folds, package link talks, this package draws and listens.
// Colour never stands alone, every view works at 80×24, and text of strangers
// cannot drive the terminal: a frame holds printable characters and colours only.
package tui
