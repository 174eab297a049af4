// Package chaos breaks an office of three nodes on three NATS servers, and its outpost, while the
// office is in use, and checks that nothing was lost, duplicated or left open. Everything is a real
// process.
package chaos
