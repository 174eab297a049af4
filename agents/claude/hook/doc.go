// Package hook is the program that Claude Code runs at each of its hooks: it brings
// one hook to the office, or keeps it on disk for later.
//
// It guarantees that an agent never waits for an office that does not answer: a hook
// takes at most Patience, and after one such wait the office is left alone for
// BreakerPause. Only a hook that the office asks it to wait for (a person has to
// answer) takes longer, and only while the office keeps saying that it is there.
// It never fails and never prints anything but the office's answer.
//
// It imports almost nothing: a process starts for every hook, and most of the time
// of a start is the initialisation of imported packages. That is why its limits are
// here and not in contracts.
package hook
