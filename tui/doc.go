// Package tui shows the office in a terminal: the same state, words and commands as in the
// browser, over the same public protocol.
//
// It shows nothing that the server did not send and keeps no office state of its own:
// package model computes the state, package link connects, and this package draws and
// handles input. No meaning depends on colour alone, every view works at 80×24, and untrusted
// text cannot control the terminal: a frame contains only printable characters and colours.
package tui
