package acp_test

import (
	"bufio"
	"os"

	"github.com/go-json-experiment/json"
)

func mustGetwd() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}

// note writes a played agent's observations to a file in the workspace.
func note(text string) {
	if err := os.WriteFile("note", []byte(text), 0o600); err != nil {
		panic(err)
	}
}

func parse(text string) (m message) {
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		panic(err)
	}
	return m
}

func encode(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// playReplay plays a recorded stream: it waits for each message from the client and sends the
// agent's messages. The recorded client's request ids are replaced with this client's.
func playReplay(p *player) {
	file, err := os.Open(p.args[0])
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	ids := map[any]any{} // maps the recorded client's request ids to this client's
	for in.Scan() {
		var e entry
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			panic(err)
		}
		switch {
		case e.Dir == toAgent:
			got := p.receive()
			if e.Msg["method"] != nil {
				ids[e.Msg["id"]] = got["id"]
			}
		case e.Msg["method"] == nil:
			e.Msg["id"] = ids[e.Msg["id"]]
			p.send(e.Msg)
		default:
			p.send(e.Msg)
		}
	}
	p.receive()
}
