//go:build unix

package e2e_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/server"
)

// fakepeerProgram builds the fakepeer command once, and returns its path.
var fakepeerProgram = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs("../.cache/e2e/fakepeer")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", path, "./fakepeer").CombinedOutput()
	if err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return path, nil
})

// fakepeer is a real fakepeer process, connected to the bridge.
type fakepeer struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
}

func (d *openAIServer) fakepeer(session, script string) *fakepeer {
	d.t.Helper()
	program, err := fakepeerProgram()
	if err != nil {
		d.t.Fatal(err)
	}
	p := &fakepeer{t: d.t, lines: make(chan string, 64)}
	p.cmd = exec.Command(program, "-url", "ws://"+d.addr+"/bridge", "-session", session, "-token", owner(d.t, d.data), "-script", script)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for in := bufio.NewScanner(out); in.Scan(); {
			p.lines <- in.Text()
		}
	}()
	d.t.Cleanup(p.kill)
	p.says("connected")
	return p
}

// says waits until the peer prints this event.
func (p *fakepeer) says(event string) {
	p.t.Helper()
	for end := time.After(testTimeout); ; {
		select {
		case line, open := <-p.lines:
			if strings.HasPrefix(line, event) {
				return
			}
			if !open {
				p.t.Fatalf("the peer exited before %s", event)
			}
		case <-end:
			p.t.Fatalf("the peer never printed %s", event)
		}
	}
}

func (p *fakepeer) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	for range p.lines { // drain the last lines
	}
	_ = p.cmd.Wait()
	p.cmd = nil
}

// ask streams a completion and returns its text; first is called when the first piece arrives.
func (d *openAIServer) ask(ctx context.Context, user string, first func()) string {
	d.t.Helper()
	body := jsonOf(message{"user": user, "stream": true, "messages": []any{message{"role": "user", "content": "Hi"}}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return " [hung up]"
	}
	defer resp.Body.Close()
	var whole, text strings.Builder
	for in := bufio.NewReader(resp.Body); ; {
		line, err := in.ReadString('\n')
		whole.WriteString(line)
		if _, piece, ok := strings.Cut(line, `"delta":{"content":"`); ok {
			piece, _, _ = strings.Cut(piece, `"`)
			text.WriteString(piece)
			if piece != "" && first != nil {
				first()
				first = nil
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return text.String() + " [hung up]"
		}
	}
	if _, failure, ok := strings.Cut(whole.String(), `"code":"`); ok {
		code, _, _ := strings.Cut(failure, `"`)
		text.WriteString(" [" + code + "]")
	}
	if !strings.HasSuffix(strings.TrimSpace(whole.String()), "data: [DONE]") {
		text.WriteString(" [cut off]")
	}
	return text.String()
}

// B8, B10: whatever a peer does, the caller receives an answer or an error, followed by [DONE], and
// the session works for the next peer.
func TestMisbehavingPeers(t *testing.T) {
	t.Parallel()
	d := startOpenAI(t, server.Config{Crew: server.CrewNone})
	want := map[string]string{
		"echo": "echo: Hi", "slow": "echo: Hi", "stream": "echo: Hi", "late": "echo: Hi", "stray": "echo: Hi", "garbage": "echo: Hi", "deaf": "echo: Hi",
		"reconnect": "before, after", "impostor": "before,  [agent_disconnected]", "die": "I was about to  [agent_disconnected]",
	}
	for script, answer := range want {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			d := &openAIServer{t: t, addr: d.addr, data: d.data}
			session := "dev::" + script
			p := d.fakepeer(session, script)
			if got := d.ask(t.Context(), session, nil); got != answer {
				t.Errorf("the caller got %q, want %q", got, answer)
			}
			p.kill()
			d.usable(session)
		})
	}
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		d := &openAIServer{t: t, addr: d.addr, data: d.data}
		p := d.fakepeer("dev::silent", "silent")
		ctx, hangUp := context.WithCancel(t.Context())
		answer := make(chan string, 1)
		go func() { answer <- d.ask(ctx, "dev::silent", nil) }()
		p.says("inbound")
		hangUp()
		if got := <-answer; !strings.Contains(got, "hung up") {
			t.Errorf("the caller got %q", got)
		}
		p.says("cancel")
		p.kill()
		d.usable("dev::silent")
	})
	t.Run("flood", func(t *testing.T) {
		t.Parallel()
		d := &openAIServer{t: t, addr: d.addr, data: d.data}
		p := d.fakepeer("dev::flood", "flood")
		got := d.ask(t.Context(), "dev::flood", func() {
			p.says("closed")
			p.kill()
		})
		if !strings.HasPrefix(got, "flood flood ") || !strings.HasSuffix(got, "[agent_disconnected]") {
			t.Errorf("the caller got %.100q", got)
		}
		d.usable("dev::flood")
	})
}

// usable checks that a session answers its next question.
func (d *openAIServer) usable(session string) {
	d.t.Helper()
	p := d.fakepeer(session, "echo")
	defer p.kill()
	if got := d.ask(d.t.Context(), session, nil); got != "echo: Hi" {
		d.t.Errorf("the session no longer works: %q", got)
	}
}
