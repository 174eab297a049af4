// Package messages translates Anthropic's Messages API: requests become requests of package
// completion, and answers become message objects and events.
//
// It guarantees:
//   - Every parameter is passed on, refused by name, or listed in Rules with an explanation of why
//     it has no effect.
//   - Members of messages are passed on, refused by name, or reported as ignored.
//   - The events of a stream are in the official order.
//
// The package has no clock, no IO and no state.
package messages
