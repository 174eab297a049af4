//go:build !linux

package process

// adopt returns a function that does nothing: only on Linux can a process become the parent of its
// orphaned descendants.
func adopt() func() { return func() {} }
