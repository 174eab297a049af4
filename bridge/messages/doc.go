// Package messages translates Anthropic's Messages: requests to those of package completion, and
// answers to message objects and events.
//
// It guarantees: every member of a request is passed on, refused by name, or listed in Rules with
// the reason why it has no effect; the events of a stream have the official order. It has no clock,
// no IO and no state.
package messages
