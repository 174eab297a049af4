// Package tools is the office's MCP server: the tools that agents from any vendor use to ask
// people, read the board, work on tasks and chat.
//
// A server acts as one agent. It has no tool that answers a question, so an agent can answer
// neither its own questions nor another agent's. A call that waits for a person ends when its time
// is up or its caller disconnects; the question stays open, and another call can read its answer.
// Calls with the same request id take effect only once.
//
// The same server runs in the office, over HTTP (package tools/door), and in `bullpen mcp`, over
// standard input and output. In `bullpen mcp`, Remote forwards the calls to the office.
package tools
