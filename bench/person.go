//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// person is a client that subscribes to everything and sends commands.
type person struct {
	conn    net.Conn
	in      *bufio.Reader
	name    string
	project string
	paused  bool
	sent    int
	replies chan reply
}

// reply is the response to a command.
type reply struct {
	raw []byte
	at  time.Time
	err error
}

// replyTime is how long to wait for a response.
const replyTime = 10 * time.Second

func newPerson(ctx context.Context, addr string, number int) (*person, error) {
	conn, br, _, err := ws.Dial(ctx, "ws://"+addr+"/ws/world")
	if err != nil {
		return nil, err
	}
	p := &person{conn: conn, in: br, name: fmt.Sprintf("bench%d", number), replies: make(chan reply, 1)}
	if br == nil {
		p.in = bufio.NewReader(conn)
	}
	go p.read()
	p.write(`{"type":"hello","id":"hello_1","ts":1700000000000,"v":1,"payload":{"client":{"name":"` + p.name + `"},"supported_versions":[1]}}`)
	p.write(`{"type":"subscribe","id":"subscribe_1","ts":1700000000000,"v":1,"payload":{"scene_id":"` + contracts.DefaultScene +
		`","channels":{"events":true,"goals":true,"chat":true,"snapshots":true}}}`)
	answer, _, err := p.command(contracts.CmdSubmitRequest, `{"text":"Write a page for the launch."}`)
	if err != nil {
		return nil, err
	}
	var ack struct {
		Payload contracts.Ack `json:"payload"`
	}
	if err := json.Unmarshal(answer, &ack); err != nil {
		return nil, fmt.Errorf("read the answer %s: %w", answer, err)
	}
	p.project = ack.Payload.Result.ProjectID
	return p, nil
}

func (p *person) write(message string) error {
	_, err := p.conn.Write(textTo(message))
	return err
}

// read forwards responses to commands and drops everything else.
func (p *person) read() {
	for {
		f, err := ws.ReadFrame(p.in)
		if err != nil {
			p.replies <- reply{err: err}
			return
		}
		if bytes.HasPrefix(f.Payload, []byte(`{"type":"ack"`)) || bytes.HasPrefix(f.Payload, []byte(`{"type":"error"`)) {
			p.replies <- reply{raw: f.Payload, at: time.Now()}
		}
	}
}

// command sends a command and returns its ack and the latency. It returns an error if the command
// is refused.
func (p *person) command(name contracts.CommandName, data string) ([]byte, time.Duration, error) {
	p.sent++
	began := time.Now()
	err := p.write(fmt.Sprintf(`{"type":"command","id":"cmd_%d","ts":%d,"v":1,"payload":{"name":"%s","data":%s}}`, p.sent, began.UnixMilli(), name, data))
	if err != nil {
		return nil, 0, err
	}
	select {
	case r := <-p.replies:
		if r.err == nil && !bytes.HasPrefix(r.raw, []byte(`{"type":"ack"`)) {
			r.err = fmt.Errorf("%s was refused: %s", name, r.raw)
		}
		return r.raw, r.at.Sub(began), r.err
	case <-time.After(replyTime):
		return nil, 0, fmt.Errorf("no response to %s within %v", name, replyTime)
	}
}

// direct sends count commands at the allowed rate and returns their latencies in milliseconds.
func (p *person) direct(count int) ([]float64, error) {
	var latency []float64
	next := time.Now()
	for range count {
		time.Sleep(time.Until(next))
		next = next.Add(commandPause)
		name := contracts.CmdPauseProject
		if p.paused {
			name = contracts.CmdResumeProject
		}
		_, took, err := p.command(name, `{"project_id":"`+p.project+`"}`)
		if err != nil {
			return nil, err
		}
		p.paused = !p.paused
		latency = append(latency, took.Seconds()*1e3)
	}
	return latency, nil
}
