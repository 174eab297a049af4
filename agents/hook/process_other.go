//go:build !linux

package hook

// look always returns false here: a wrong process would make a live agent look dead.
func look(int) (process, bool) { return process{}, false }
