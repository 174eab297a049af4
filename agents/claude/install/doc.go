// Package install puts Bullpen's hooks into the settings of Claude Code, takes them
// out again, and keeps hooks on disk while no server answers.
//
// It guarantees: outside our own entries every byte of a settings file stays as
// it is; installing any number of times leaves one entry for each event;
// uninstalling gives the original bytes back unless somebody else changed the
// file in between; a file that is not right is refused with line and column and
// left alone; a write is atomic, and a reader sees the old or the new file.
//
// A version of Claude Code gets only what it knows: one entry that an old version
// does not understand makes it ignore the whole file.
//
// It never runs anything and never talks to a server.
package install
