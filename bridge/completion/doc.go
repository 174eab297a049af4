// Package completion reads OpenAI's chat completion requests: which messages there
// are, what a caller asks of the answer, and which conversation a request goes on
// with.
//
// It guarantees: every member of a request is passed on, refused with its name, or
// listed in Rules with the reason why it has no effect; a conversation is continued
// by one request at most, and only when it ends exactly where the request's own
// transcript does; text of one message can never be taken for another message. It
// has no clock, no IO and no memory of its own but the Finder's.
package completion
