// Package tui shows the office in a terminal: the same state, words and commands as in the
// browser, over the same public protocol.
//
// It shows nothing that the server did not send, and keeps no office state of its own. Package
// model computes the state, package link connects, and this package draws and handles input.
//
// No meaning depends on colour alone, and every view works at 80×24. A frame contains only
// printable characters and colours, so untrusted text cannot control the terminal.
package tui
