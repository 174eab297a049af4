// Package install adds Bullpen's hooks to the settings of a vendor's program and removes them. It
// edits files with hooks in Claude Code's format, which other vendors also use, and writes plugins
// into files of their own.
//
// It guarantees: every byte of a settings file outside our entries is preserved; installing is
// idempotent, with one entry per event; uninstalling restores the original bytes unless another
// program changed the file; an invalid file is rejected, with the line and column of the error, and
// not changed; writes are atomic.
//
// It installs only hooks that the program's version supports: one unsupported entry makes an old
// version ignore the whole file.
//
// It never runs a program and never contacts a server.
package install
