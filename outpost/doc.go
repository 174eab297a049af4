// Package outpost lets the agents on this machine join an office that runs elsewhere. It runs the
// same watchers as an office and reports their observations to the office over HTTP.
//
// Facts are reported in order, and each request has a key, so that a fact whose reply is lost is
// still recorded only once. While the office cannot be reached, facts are stored on disk and sent
// later. Questions are not stored, because no one could answer them; the agent asks in its terminal
// instead. Package outpost/door is the office's side of the connection.
package outpost
