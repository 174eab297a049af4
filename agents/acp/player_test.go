package acp_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type message map[string]any

// entry is one line in a played agent's log.
type entry struct {
	Dir string  `json:"dir"` // "client->agent" or "agent->client"
	Msg message `json:"msg"`
}

// The directions of messages.
const (
	toAgent  = "client->agent"
	toClient = "agent->client"
)

// player is an agent that follows a scenario.
type player struct {
	in   *bufio.Reader
	log  *os.File
	last int // id of its last request
	args []string
}

// play runs a scenario: args are the log file, the scenario's name and its arguments.
func play(args []string) {
	log, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	scenario := scenarios[args[1]]
	if scenario == nil {
		panic("no scenario " + args[1])
	}
	scenario(&player{in: bufio.NewReaderSize(os.Stdin, 1<<20), log: log, args: args[2:]})
}

func (p *player) write(dir string, m message) {
	b, err := json.Marshal(entry{dir, m}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	_, _ = p.log.Write(append(b, '\n'))
}

// receive returns the client's next message. At the end of the input, the player exits.
func (p *player) receive() message {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	p.write(toAgent, m)
	return m
}

func (p *player) raw(line string) { _, _ = os.Stdout.WriteString(line) }

func (p *player) send(m message) {
	m["jsonrpc"] = "2.0"
	p.write(toClient, m)
	b, err := json.Marshal(m, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	p.raw(string(b) + "\n")
}

func (p *player) reply(to message, result message) { p.send(message{"id": to["id"], "result": result}) }

func (p *player) fail(to message, code int, text string) {
	p.send(message{"id": to["id"], "error": message{"code": code, "message": text}})
}

func (p *player) update(kind string, members message) {
	update := message{"sessionUpdate": kind}
	for k, v := range members {
		update[k] = v
	}
	p.send(message{"method": "session/update", "params": message{"sessionId": "s1", "update": update}})
}

func (p *player) say(text string) {
	p.update("agent_message_chunk", message{"content": message{"type": "text", "text": text}})
}

// request sends a request and returns its answer. Other messages are skipped.
func (p *player) request(method string, params message) message {
	id := p.begin(method, params)
	return p.until(func(m message) bool { return fmt.Sprint(m["id"]) == id && m["method"] == nil })
}

// begin sends a request and returns its id.
func (p *player) begin(method string, params message) string {
	p.last++
	params["sessionId"] = "s1"
	p.send(message{"id": fmt.Sprintf("req-%d", p.last), "method": method, "params": params})
	return fmt.Sprintf("req-%d", p.last)
}

func (p *player) until(want func(message) bool) message {
	for {
		if m := p.receive(); want(m) {
			return m
		}
	}
}

// permission asks for permission with the usual options and returns the outcome.
func (p *player) permission(id, command string) string {
	answer := p.request("session/request_permission", permissionParams(id, command))
	return outcomeOf(answer)
}

func permissionParams(id, command string) message {
	return message{
		"toolCall": message{"toolCallId": id, "title": command, "kind": "execute", "status": "pending", "rawInput": message{"command": command}},
		"options": []message{
			{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "always", "name": "Allow all", "kind": "allow_always"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"},
		},
	}
}

// outcomeOf returns the outcome in an answer to a permission request: the option, or "cancelled".
func outcomeOf(answer message) string {
	result, _ := answer["result"].(map[string]any)
	outcome, _ := result["outcome"].(map[string]any)
	if option, ok := outcome["optionId"].(string); ok {
		return option
	}
	text, _ := outcome["outcome"].(string)
	return text
}

// greet answers initialize, opens the session and returns the first prompt.
func (p *player) greet() message { return p.greetAs(message{}, message{}) }

// greetAs is like greet, but declares these capabilities and session settings.
func (p *player) greetAs(can, settings message) message {
	p.reply(p.expect("initialize"), message{"protocolVersion": 1, "agentCapabilities": can, "agentInfo": message{"name": "played", "version": "1"},
		"authMethods": []message{{"id": "login", "name": "Log in", "description": "Run `played login`"}}})
	p.enter(settings)
	return p.expect("session/prompt")
}

// enter opens the session.
func (p *player) enter(settings message) {
	settings["sessionId"] = "s1"
	p.reply(p.expect("session/new", "session/load", "session/resume"), settings)
}

// expect returns the next message with one of these methods. Until then, it accepts changes to the
// session's settings.
func (p *player) expect(methods ...string) message {
	return p.until(func(m message) bool {
		method, _ := m["method"].(string)
		if strings.HasPrefix(method, "session/set_") {
			p.reply(m, message{"configOptions": []message{}})
		}
		for _, want := range methods {
			if method == want {
				return true
			}
		}
		return false
	})
}

func (p *player) stop(prompt message, reason string) { p.reply(prompt, message{"stopReason": reason}) }

func textOf(prompt message) string {
	params, _ := prompt["params"].(map[string]any)
	blocks, _ := params["prompt"].([]any)
	text := ""
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		part, _ := block["text"].(string)
		text += part
	}
	return text
}
