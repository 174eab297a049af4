//go:build !linux

package hook

// look tells nothing here: a wrong process would make a living agent look dead.
func look(int) (process, bool) { return process{}, false }
