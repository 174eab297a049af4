//go:build !linux

package hook

// readProcess always returns false on this system. If it identified the wrong process, a live agent
// could look dead.
func readProcess(int) (process, bool) { return process{}, false }
