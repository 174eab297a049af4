// Package watch lets sessions that people run themselves join the office, through the hook door and
// through the files that the vendor's program writes. A Vendor describes the hooks and files.
//
// It guarantees: a hook is answered within contracts.HookAnswer, even if it is not recorded yet, so
// that it does not slow down its agent; a session's hooks and rows are each handled in order; an
// event that both report becomes one fact; hooks that a full queue drops are recovered from the
// transcript; every start eventually has an end. Only a permission request waits longer: until a
// person or a rule answers it.
//
// It reads the vendor's files and never writes them.
package watch
