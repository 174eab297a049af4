// Package work decides how a tool call is shown: an edit as a diff, a command with its output, a
// file with its line numbers, anything else as text or JSON. Every client follows the same rules;
// contracts/vectors/work.jsonl tests both Go and TypeScript.
//
// It also compares two versions of a text line by line and marks the words that changed. It does
// not draw: a view has text and styles, never a program's escape sequences. It is pure, bounded and
// total: input of an unexpected shape is shown as JSON.
package work
