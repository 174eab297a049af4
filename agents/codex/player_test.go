package codex_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

type message map[string]any

// player is an app-server that follows a scenario.
type player struct {
	in   *bufio.Reader
	turn string
}

// play runs an app-server. The scenario decides what happens in each turn.
func play(scenario string) {
	p := &player{in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	turns := 0
	for {
		m := p.read()
		switch m["method"] {
		case "initialize":
			p.answer(m, message{"userAgent": "played"})
		case "thread/start":
			p.answer(m, message{"thread": message{"id": "th_1"}})
		case "thread/resume":
			if scenario == "unknown thread" {
				p.send(message{"id": m["id"], "error": message{"code": -32600, "message": "no rollout found for thread id th_0"}})
				continue
			}
			p.answer(m, message{"thread": message{"id": "th_1"}})
		case "turn/start":
			turns++
			p.turn = "tu_" + strconv.Itoa(turns)
			if scenario == "late answer" {
				p.notify("item/started", command("inProgress", nil))
				time.Sleep(100 * time.Millisecond) // the driver cancels the turn first
			}
			p.answer(m, message{"turn": message{"id": p.turn}})
			scenarios[scenario](p)
		case "turn/interrupt":
			p.answer(m, message{})
			p.end("interrupted", "")
		}
	}
}

func (p *player) read() message {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m
}

func (p *player) send(m message) {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(append(b, '\n'))
}

func (p *player) answer(m, result message) { p.send(message{"id": m["id"], "result": result}) }

func (p *player) notify(method string, params message) {
	params["threadId"] = "th_1"
	if params["turn"] == nil {
		params["turnId"] = p.turn
	}
	p.send(message{"method": method, "params": params})
}

func (p *player) end(status, failure string) {
	turn := message{"id": p.turn, "status": status}
	if failure != "" {
		turn["error"] = message{"message": failure}
	}
	p.notify("turn/completed", message{"turn": turn})
}

func (p *player) say(text string) {
	p.notify("item/agentMessage/delta", message{"delta": text})
	p.notify("item/completed", message{"item": message{"type": "agentMessage", "id": "m", "text": text}})
}

func (p *player) used() {
	p.notify("thread/tokenUsage/updated", message{"tokenUsage": message{"last": message{"inputTokens": 100, "cachedInputTokens": 40, "outputTokens": 7}}})
}

func command(status string, exit any) message {
	return message{"item": message{"type": "commandExecution", "id": "c1", "command": "/bin/bash -lc 'make all'", "cwd": "/", "status": status, "exitCode": exit, "aggregatedOutput": "out\n"}}
}

// ask asks for approval of the command with item id c1 and returns the decision.
func (p *player) ask(params message) string {
	params["threadId"], params["turnId"], params["itemId"] = "th_1", p.turn, "c1"
	p.send(message{"id": 900, "method": "item/commandExecution/requestApproval", "params": params})
	for {
		m := p.read()
		if m["id"] == float64(900) {
			result, _ := m["result"].(map[string]any)
			decision, _ := result["decision"].(string)
			return decision
		}
		if m["method"] == "turn/interrupt" {
			p.answer(m, message{})
			defer p.end("interrupted", "")
		}
	}
}

// questions asks two questions and returns the answers, as JSON.
func (p *player) questions(change func(first message)) string {
	first := message{"id": "color", "header": "Color", "question": "Which color?", "isOther": true, "options": []message{{"label": "Red", "description": "warm"}, {"label": "Blue  sky", "description": "cold"}}}
	second := message{"id": "name", "header": "", "question": "Which name?", "options": nil}
	change(first)
	p.send(message{"id": 902, "method": "item/tool/requestUserInput", "params": message{
		"threadId": "th_1", "turnId": p.turn, "itemId": "q1", "isBlocking": true, "questions": []message{first, second}}})
	for {
		m := p.read()
		if m["id"] == float64(902) {
			result, _ := json.Marshal(m["result"], json.Deterministic(true))
			return string(result)
		}
		if m["method"] == "turn/interrupt" {
			p.answer(m, message{})
			defer p.end("interrupted", "")
		}
	}
}

var scenarios = map[string]func(*player){
	"plain": func(p *player) {
		p.notify("item/reasoning/summaryTextDelta", message{"delta": "hm"})
		p.notify("item/started", command("inProgress", nil))
		p.notify("item/completed", command("completed", 0))
		p.used()
		p.say("Hello.")
		p.used()
		p.end("completed", "")
	},
	"unknown thread": func(p *player) { p.end("completed", "") },
	"done after a failure": func(p *player) {
		p.notify("item/started", command("inProgress", nil))
		p.notify("item/completed", command("failed", 2))
		p.say("All done.")
		p.end("completed", "")
	},
	"approval": func(p *player) {
		p.notify("item/started", command("inProgress", nil))
		decision := p.ask(message{"command": "/bin/bash -lc 'make all'", "cwd": "/"})
		p.say("The answer was " + decision + ".")
		p.end("completed", "")
	},
	"approval that cannot be read": func(p *player) {
		decision := p.ask(message{"command": "/bin/bash -lc 'make all'", "cwd": message{"a": 1}})
		p.say("The answer was " + decision + ".")
		p.end("completed", "")
	},
	"approval of nothing": func(p *player) {
		decision := p.ask(message{})
		p.say("The answer was " + decision + ".")
		p.end("completed", "")
	},
	"questions": func(p *player) {
		p.say(p.questions(func(message) {}))
		p.end("completed", "")
	},
	"a question for a secret": func(p *player) {
		p.say(p.questions(func(first message) { first["isSecret"] = true }))
		p.end("completed", "")
	},
	"a question that cannot be read": func(p *player) {
		p.say(p.questions(func(first message) { first["question"] = message{} }))
		p.end("completed", "")
	},
	"options that look the same": func(p *player) {
		p.say(p.questions(func(first message) {
			first["options"] = []message{{"label": "Red"}, {"label": "Red\n"}}
		}))
		p.end("completed", "")
	},
	"a call that never ends": func(p *player) {
		p.notify("item/started", command("inProgress", nil))
		p.end("completed", "")
	},
	"slow":        func(p *player) { p.notify("item/started", command("inProgress", nil)) },
	"late answer": func(*player) {},
	"failed": func(p *player) {
		p.notify("error", message{"error": message{"message": "the model is gone"}})
		p.end("failed", "")
	},
	"crash": func(p *player) {
		p.notify("item/started", command("inProgress", nil))
		os.Exit(3)
	},
	"flood": func(p *player) {
		for i := range 5000 {
			p.notify("hologram/"+strconv.Itoa(i), message{"x": strings.Repeat("y", 100)})
		}
		_, _ = os.Stdout.WriteString("not json\n{\"method\":7}\n[]\n")
		p.send(message{"id": 901, "method": "hologram/request", "params": message{}})
		p.send(message{"method": "turn/completed", "params": message{"threadId": "th_9", "turn": message{"id": p.turn, "status": "failed"}}})
		p.notify("item/completed", message{"item": message{"type": "hologram", "id": "h1", "beam": 3}})
		p.say("Hello.")
		p.end("completed", "")
		p.end("failed", "twice")
	},
	"an unknown status": func(p *player) { p.end("sublimated", "") },
}
