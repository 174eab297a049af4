package acp_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// scenarios maps the name of each scenario to the function that plays it.
var scenarios map[string]func(*player)

func init() {
	scenarios = map[string]func(*player){
		"work": playWork, "echo": playEcho, "permit": playPermit, "late": playLate, "pending": playPending, "between": playBetween, "withdraw": playWithdraw,
		"question": playQuestion, "unreadable": playUnreadable, "failed": playFailed, "unfinished": playUnfinished, "strange": playStrange, "flood": playFlood,
		"requests": playRequests, "hang": playHang, "deaf": playDeaf, "silent": playSilent, "crash": playCrash, "newer": playNewer, "login": playLogin,
		"resume": playResume, "settings": playSettings, "stops": playStops, "refuse": playRefuse, "replay": playReplay, "ask": playAsk, "leave": playLeave,
	}
}

// playWork plays a turn with everything: a thought, text, a call that needs permission, and usage.
func playWork(p *player) {
	prompt := p.greet()
	p.update("agent_thought_chunk", message{"content": message{"type": "text", "text": "let me think"}})
	p.say("I look. ")
	call := message{"toolCallId": "c1", "title": "make test", "kind": "execute", "status": "pending"}
	p.update("tool_call", call)
	if p.permission("c1", "make test") != "yes" {
		panic("not allowed")
	}
	p.update("tool_call_update", message{"toolCallId": "c1", "status": "in_progress"})
	p.update("tool_call_update", message{"toolCallId": "c1", "status": "completed", "content": []message{{"type": "content", "content": message{"type": "text", "text": "ok"}}},
		"rawOutput": message{"metadata": message{"exit": 0}}})
	p.update("tool_call", message{"toolCallId": "c2", "title": "Edit a.txt", "kind": "edit", "status": "completed",
		"content": []message{{"type": "diff", "path": "/w/a.txt", "oldText": "one\ntwo\n", "newText": "one\n2\n"}}})
	p.update("usage_update", message{"used": 120, "size": 1000, "cost": message{"amount": 0.25, "currency": "USD"}})
	p.say("All ")
	p.say("done.")
	p.reply(prompt, message{"stopReason": "end_turn", "usage": message{"inputTokens": 100, "outputTokens": 20, "totalTokens": 120, "cachedReadTokens": 7}})
	p.receive()
}

// playEcho repeats its prompts.
func playEcho(p *player) {
	for prompt := p.greetAs(message{"sessionCapabilities": message{"close": message{}, "resume": message{}}}, message{}); ; prompt = p.expect("session/prompt", "session/close") {
		if prompt["method"] == "session/close" {
			p.reply(prompt, message{})
			continue
		}
		p.say("You said: " + textOf(prompt))
		p.stop(prompt, "end_turn")
	}
}

// playPermit reports how its permission request was answered.
func playPermit(p *player) {
	prompt := p.greet()
	p.say(p.permission("c1", "rm -rf /"))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playLate asks for permission after the turn was cancelled.
func playLate(p *player) {
	prompt := p.greet()
	p.say("working")
	p.expect("session/cancel")
	note(p.permission("c1", "rm -rf /"))
	p.stop(prompt, "cancelled")
	p.receive()
}

// playPending is cancelled while it is waiting for permission.
func playPending(p *player) {
	prompt := p.greet()
	id := p.begin("session/request_permission", permissionParams("c1", "rm -rf /"))
	answer := p.until(func(m message) bool { return m["id"] == id && m["method"] == nil })
	note(outcomeOf(answer))
	p.stop(prompt, "cancelled")
	p.receive()
}

// playBetween asks for permission and for a file between two turns.
func playBetween(p *player) {
	p.stop(p.greet(), "end_turn")
	outcome := p.permission("c1", "rm -rf /")
	wrote := p.request("fs/write_text_file", message{"path": mustGetwd() + "/late.txt", "content": "late"})
	prompt := p.expect("session/prompt")
	p.say(fmt.Sprint(outcome, " ", wrote["error"] != nil))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playWithdraw withdraws a permission request that no one answers.
func playWithdraw(p *player) {
	prompt := p.greet()
	id := p.begin("session/request_permission", permissionParams("c1", "rm -rf /"))
	p.send(message{"method": "$/cancel_request", "params": message{"requestId": id}})
	answer := p.until(func(m message) bool { return m["id"] == id && m["method"] == nil })
	p.say(outcomeOf(answer))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playQuestion asks for one of several ways to continue.
func playQuestion(p *player) {
	prompt := p.greet()
	params := permissionParams("c1", "deploy")
	params["options"] = []message{{"optionId": "a", "name": "To staging", "kind": "allow_once"}, {"optionId": "b", "name": "To production", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}}
	p.say(outcomeOf(p.request("session/request_permission", params)))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playUnreadable asks for permissions that a person cannot review.
func playUnreadable(p *player) {
	prompt := p.greet()
	var said []string
	for i, change := range []func(message){
		func(m message) { m["toolCall"] = message{"toolCallId": "c1", "title": []int{1}} },
		func(m message) { m["toolCall"] = message{"title": "no id"} },
		func(m message) { m["options"] = []message{} },
		func(m message) { m["options"] = "yes" },
		func(m message) { m["options"] = []message{{"name": "no id", "kind": "allow_once"}} },
		func(m message) {
			m["toolCall"].(message)["rawInput"] = message{"command": "true #" + strings.Repeat("x", contracts.LimitPermission)}
		},
		func(m message) {
			m["options"] = []message{{"optionId": "always", "name": "Always", "kind": "allow_always"}}
		},
	} {
		params := permissionParams(fmt.Sprintf("call-%d", i), "true")
		change(params)
		said = append(said, outcomeOf(p.request("session/request_permission", params)))
	}
	params := permissionParams("c9", "true")
	p.last++
	params["sessionId"] = "another session"
	p.send(message{"id": "req-x", "method": "session/request_permission", "params": params})
	said = append(said, outcomeOf(p.until(func(m message) bool { return m["id"] == "req-x" })))
	p.say(strings.Join(said, " "))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playFailed claims to be done although its call failed.
func playFailed(p *player) {
	prompt := p.greet()
	p.update("tool_call", message{"toolCallId": "c1", "title": "`make`", "kind": "execute", "status": "in_progress", "rawInput": message{"command": "make"}})
	p.update("tool_call_update", message{"toolCallId": "c1", "status": "failed", "content": []message{{"type": "content", "content": message{"type": "text", "text": "no rule to make target"}}}})
	p.update("tool_call_update", message{"toolCallId": "c1", "status": "completed"}) // too late
	p.say("done")
	p.stop(prompt, "end_turn")
	p.receive()
}

// playUnfinished ends its turn with open calls and an open thought.
func playUnfinished(p *player) {
	prompt := p.greet()
	p.update("tool_call", message{"toolCallId": "c1", "title": "sleep", "kind": "execute", "status": "in_progress", "rawInput": message{"command": "sleep 9"}})
	p.update("tool_call", message{"toolCallId": "c2", "title": "never shown", "status": "pending"})
	p.update("agent_thought_chunk", message{"content": message{"type": "text", "text": "hm"}})
	p.stop(prompt, "end_turn")
	p.update("agent_message_chunk", message{"content": message{"type": "text", "text": "too late"}})
	p.receive()
}

// playStrange sends invalid and unexpected messages, some of them in the wrong order.
func playStrange(p *player) {
	p.raw("Welcome to the agent!\n\n[1,2]\n{\"jsonrpc\":\"2.0\"}\n{\"id\":99,\"result\":{}}\nnull\n\"\xff\xfe\"\n")
	p.update("tool_call_update", message{"toolCallId": "early", "status": "completed"})
	prompt := p.greetAs(message{"loadSession": "yes", "sessionCapabilities": []int{}}, message{"modes": 7, "configOptions": message{}})
	p.raw(strings.Repeat(" ", contracts.LimitProcessLine+10) + "\n")
	p.raw(`{"jsonrpc":"2.0","method":"session/update","params":` + "\n")
	p.raw(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":[]}}` + "\n")
	p.raw(`{"jsonrpc":"2.0","method":"session/update"}` + "\n")
	p.raw(`{"jsonrpc":"2.0","id":99,"method":"session/update","params":7}` + "\n")
	p.send(message{"method": "session/update", "params": message{"sessionId": "s2", "update": message{"sessionUpdate": "agent_message_chunk", "content": message{"type": "text", "text": "of another session"}}}})
	p.update("telepathy", message{"content": message{"type": "text", "text": "of an unknown kind"}, "toolCallId": "x", "title": "x"})
	p.update("agent_message_chunk", message{"content": 7})
	p.update("tool_call", message{"toolCallId": message{}, "title": "no id"})
	p.update("tool_call_update", message{"toolCallId": "c1", "status": "levitating", "title": []int{7}, "kind": []int{}, "content": "x", "locations": 7})
	p.update("tool_call_update", message{"toolCallId": "c2", "status": "completed", "title": "ends before it starts", "kind": "read", "locations": []message{{"path": "/w/a.txt"}}})
	p.update("tool_call", message{"toolCallId": "c2", "title": "starts after its end", "kind": "read"})
	p.send(message{"id": "odd", "method": "telepathy/send", "params": message{}})
	p.until(func(m message) bool { return m["id"] == "odd" })
	p.send(message{"id": nil, "method": "session/request_permission", "params": message{}})
	p.say("\x1b[31mred\x1b[0m\u202e \u0000hostile")
	p.raw(`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`) // half a line: the end is missing
	_ = prompt
	os.Exit(0)
}

// playFlood sends many updates without waiting.
func playFlood(p *player) {
	prompt := p.greet()
	for i := range 3 * contracts.LimitACPCalls {
		p.update("tool_call", message{"toolCallId": fmt.Sprintf("c%d", i), "title": "t", "kind": "read", "status": "in_progress", "rawInput": message{"path": "a"}})
		p.update("plan", message{"entries": []message{}})
	}
	chunk := strings.Repeat("x", 64<<10)
	for range contracts.LimitACPAnswer/len(chunk) + 3 {
		p.say(chunk)
	}
	p.stop(prompt, "end_turn")
	p.receive()
}

// playRequests sends many requests without waiting for the answers.
func playRequests(p *player) {
	prompt := p.greet()
	var ids []string
	for i := range contracts.LimitACPRequests + 10 {
		ids = append(ids, p.begin("session/request_permission", permissionParams(fmt.Sprintf("c%d", i), "true")))
	}
	refused := 0
	for range 10 {
		if m := p.receive(); m["error"] != nil {
			refused++
		}
	}
	for range ids[10:] {
		p.send(message{"method": "$/cancel_request", "params": message{"requestId": ids[0]}})
		ids = ids[1:]
		p.receive()
	}
	p.say(fmt.Sprintf("%d refused", refused))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playHang ignores cancellation.
func playHang(p *player) {
	p.greet()
	p.say("working")
	time.Sleep(time.Hour)
}

// playDeaf stops reading in the middle of its second prompt.
func playDeaf(p *player) {
	p.stop(p.greet(), "end_turn")
	if _, err := p.in.ReadByte(); err != nil {
		os.Exit(0)
	}
	note("deaf")
	time.Sleep(time.Hour)
}

// playSilent does not even answer initialize.
func playSilent(*player) { time.Sleep(time.Hour) }

// playCrash exits in the middle of a turn.
func playCrash(p *player) {
	p.greet()
	p.update("tool_call", message{"toolCallId": "c1", "title": "x", "kind": "execute", "status": "in_progress", "rawInput": message{"command": "x"}})
	fmt.Fprintln(os.Stderr, "no licence")
	os.Exit(7)
}

// playNewer supports only a later version of the protocol.
func playNewer(p *player) {
	p.reply(p.expect("initialize"), message{"protocolVersion": 2, "capabilities": message{}})
	p.receive()
}

// playLogin needs a person to sign in.
func playLogin(p *player) {
	p.reply(p.expect("initialize"), message{"protocolVersion": 1, "authMethods": []message{{"id": "login", "name": "Log in", "description": "Run `played login`"}}})
	p.fail(p.expect("session/new"), -32000, "Authentication required")
	p.receive()
}

// playResume resumes sessions. Its first argument is the capability that it declares. If there is a
// second argument, it is an error code, with which playResume rejects the request to open the
// session.
func playResume(p *player) {
	can := map[string]message{"none": {}, "load": {"loadSession": true}, "resume": {"sessionCapabilities": message{"resume": message{}}},
		"list": {"loadSession": true, "sessionCapabilities": message{"list": message{}}}}[p.args[0]]
	p.reply(p.expect("initialize"), message{"protocolVersion": 1, "agentCapabilities": can})
	open := p.expect("session/new", "session/load", "session/resume")
	if len(p.args) > 1 {
		code := 0
		_, _ = fmt.Sscan(p.args[1], &code)
		p.fail(open, code, "cannot open it")
		for i := 0; ; i++ {
			page := message{"sessions": []message{{"sessionId": fmt.Sprintf("s%d", i), "cwd": "/w"}}}
			if i < 2 {
				page["nextCursor"] = fmt.Sprint(i)
			}
			p.reply(p.expect("session/list"), page)
		}
	}
	if open["method"] == "session/load" { // loading a session replays the conversation
		p.say("said long ago")
	}
	p.reply(open, message{"sessionId": "s1"})
	prompt := p.expect("session/prompt")
	p.say(open["method"].(string))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playSettings offers modes and models in the form that its argument names.
func playSettings(p *player) {
	settings := map[string]message{
		"lists": {"modes": message{"currentModeId": "auto", "availableModes": []message{{"id": "auto", "name": "Auto"}, {"id": "ask", "name": "Ask"}}},
			"models": message{"currentModelId": "small", "availableModels": []message{{"modelId": "small", "name": "S"}, {"modelId": "large", "name": "L"}}}},
		"options": {"configOptions": []message{
			{"id": "m", "name": "Mode", "category": "mode", "type": "select", "currentValue": "auto", "options": []message{{"value": "auto", "name": "Auto"}, {"value": "ask", "name": "Ask"}}},
			{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": []message{
				{"group": "g", "name": "All", "options": []message{{"value": "small", "name": "S"}, {"value": "large", "name": "L"}}}}},
			{"id": "fast", "name": "Fast", "type": "boolean", "currentValue": true}}},
		"none": {},
	}[p.args[0]]
	prompt := p.greetAs(message{}, settings)
	p.update("current_mode_update", message{"currentModeId": "ask"})
	p.say("set")
	p.stop(prompt, "end_turn")
	p.receive()
}

// playStops stops for the reason in its arguments.
func playStops(p *player) {
	prompt := p.greet()
	p.say("so far")
	p.stop(prompt, p.args[0])
	p.receive()
}

// playRefuse answers every prompt with an error.
func playRefuse(p *player) {
	for prompt := p.greet(); ; prompt = p.expect("session/prompt") {
		p.fail(prompt, -32603, "the model is overloaded")
	}
}

// playAsk sends the requests in its arguments, one per argument as METHOD{params}, and reports the
// answers.
func playAsk(p *player) {
	prompt := p.greet()
	said := []string{}
	last := ""
	for _, arg := range p.args {
		method, params, _ := strings.Cut(arg, "{")
		in := parse("{" + strings.NewReplacer("$PWD", mustGetwd(), "$TERM", last).Replace(params))
		answer := p.request(method, in)
		if result, ok := answer["result"].(map[string]any); ok && result["terminalId"] != nil {
			last = result["terminalId"].(string)
		}
		if failed, ok := answer["error"].(map[string]any); ok {
			said = append(said, "error "+failed["message"].(string))
			continue
		}
		said = append(said, encode(answer["result"]))
	}
	p.say(strings.Join(said, "\n"))
	p.stop(prompt, "end_turn")
	p.receive()
}

// playLeave starts a command through the office and leaves it running.
func playLeave(p *player) {
	prompt := p.greet()
	p.request("terminal/create", message{"command": "echo $$ > pid; sleep 600"})
	for range 1000 {
		if b, err := os.ReadFile("pid"); err == nil && len(b) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.say("left")
	p.stop(prompt, "end_turn")
	p.receive()
}
