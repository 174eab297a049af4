//go:build !linux

package hook

// look always returns false on this system. If it identified the wrong process, a live agent could
// look dead.
func look(int) (process, bool) { return process{}, false }
