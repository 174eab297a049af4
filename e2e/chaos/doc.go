// Package chaos breaks an office of three nodes on three NATS servers while it is used, and checks
// that nothing was lost, doubled or left open. Everything is a real process.
package chaos
