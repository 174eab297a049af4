// Package hook is the program that agents run for each hook: it sends the hook to the
// office, or stores it on disk for later.
//
// It guarantees that an agent does not wait long for an office that does not answer: a hook takes
// at most DefaultTimeout, and after one timeout the office is skipped for BreakerPause. A hook
// takes longer only if the office asks it to wait for a person, and only while the office sends
// heartbeats. The program never fails, and it prints only the office's answer.
//
// It imports almost nothing: a process starts for every hook and spends most of its startup time
// initializing imported packages. For this reason, its limits are here and not in contracts.
package hook
