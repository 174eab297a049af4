// Package chaos breaks an office of three nodes on three NATS servers, and an outpost of it, while the
// office is used, and checks that nothing was lost, doubled or left open. Everything is a real process.
package chaos
