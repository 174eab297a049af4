// Package hub shows the office to its viewers: the world socket, the HUD
// socket, the event stream and the pages of history.
//
// It guarantees that nothing is shown that was not appended; that each record is
// encoded and framed once, however many watch; that each connection sees its
// channels in order, every message once and none missing, also over a resume;
// that the reply to a command precedes every message the command caused on that
// connection; and that a slow viewer never slows another.
//
// It keeps no queue per viewer: a viewer is a position in one shared log of
// ready frames. It never writes to the ledger and never decides anything.
package hub
