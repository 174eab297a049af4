// Package completion reads the requests of callers: their messages, the options for the answer, and
// the conversation that they continue. Its own format is OpenAI's chat completion; the packages
// responses and messages translate two other formats to the same Request.
//
// It guarantees: every parameter is passed on, refused by name, or listed in Rules with the reason
// why it has no effect; members of messages are passed on, refused by name, or reported as ignored;
// an unnamed conversation is continued by at most one request, whose transcript must end where the
// conversation does; text of one message can never be mistaken for another message. It has no
// clock, no IO and no state except the Finder's.
package completion
