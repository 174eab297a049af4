// Package responses translates OpenAI's Responses API: requests become requests of package
// completion, and answers become response objects and events.
//
// It guarantees: every parameter is passed on, refused by name, or listed in Rules with an
// explanation of why it has no effect; members of messages are passed on, refused by name, or
// reported as ignored; the events of a stream are in the official order, with consecutive sequence
// numbers, and the text of the last event is the text of all deltas. It has no clock, no IO and no
// state except the Store's.
package responses
