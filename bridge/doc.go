// Package bridge translates chat protocols into turns of the engine: OpenAI's chat completions and
// Responses, Anthropic's Messages, and AG-UI runs.
//
// It guarantees: everything that a caller sends reaches the agent, is refused by name, or is
// reported as ignored; nothing that one caller says reaches another caller's conversation; a retry
// joins the turn that it repeats instead of starting another; a streaming caller receives something
// immediately and then at every heartbeat until the answer is complete; if the turn fails, its
// stream ends with an error, and the session stays usable.
//
// It never chooses the agent that answers, and keeps no connection to an agent.
package bridge
