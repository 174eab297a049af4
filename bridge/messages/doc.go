// Package messages translates Anthropic's Messages API: requests become requests of package
// completion, and answers become message objects and events.
//
// It guarantees: every parameter is passed on, refused by name, or listed in Rules with the reason why
// it has no effect; members of messages are passed on, refused by name, or reported as ignored; the
// events of a stream are in the official order. It has no clock, no IO and no state.
package messages
