// Package watch lets sessions that people run themselves join the office, through the hook door and
// through the files that the vendor's program writes. A Vendor describes the hooks and files.
//
// Guarantees:
//   - A hook is answered within contracts.HookAnswer, even if it is not recorded yet, so that the
//     agent is not slowed down. Only a permission request waits until a person or a rule answers it.
//   - A session's hooks are handled in order, and so are the rows of its transcript.
//   - An event that a hook and a row both report becomes one fact.
//   - A hook that does not fit in the queue is refused, so that the hook command spools it.
//   - Every start eventually has an end.
//   - The vendor's files are read, but never written.
package watch
