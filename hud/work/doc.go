// Package work decides how a tool call is shown: an edit as a diff, a command with
// what it printed, a file with its line numbers, anything else as text or JSON.
// Every client follows the same rule; contracts/vectors/work.jsonl holds Go and
// TypeScript to it.
//
// It also compares two texts line by line, with the words that changed marked.
// Nothing here draws: a view holds text and styles, never an escape sequence that
// a program wrote. Pure, bounded and total: input of a strange shape becomes JSON.
package work
