// Package completion parses callers' requests: their messages, the options for the answer, and the
// conversation that they continue. It reads OpenAI's chat completions; the packages responses and
// messages translate two other formats to the same Request.
//
// It guarantees:
//   - Every parameter is passed on, refused by name, or listed in Rules with an explanation of why
//     it has no effect. Members of messages are passed on, refused by name, or reported as ignored.
//   - An unnamed conversation is continued by at most one request. The request's transcript must end
//     where the conversation does.
//   - The text of one message can never be mistaken for another message.
//
// It has no clock, no IO and no state except the Finder's.
package completion
