//go:build unix

package docs_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/client/socket"
)

// The program in guide/client.md is identical to the file that the web checks compile.
func TestClientPageProgram(t *testing.T) {
	want, err := os.ReadFile("tutorial/follow.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range readPage(t, "guide/client.md").blocks {
		if b.lang == "ts" && b.text == string(want) {
			return
		}
	}
	t.Error("guide/client.md does not show tutorial/follow.ts as it is")
}

var (
	typed  = regexp.MustCompile(`(?m)^> (\{.*\})$`)
	office = regexp.MustCompile(`^ *Office +http(://\S+)$`)
)

// The messages in guide/client.md work with a real office, which answers the last one.
func TestClientPageMessages(t *testing.T) {
	var lines [][]string
	for _, b := range readPage(t, "guide/client.md").blocks {
		lines = append(lines, typed.FindAllStringSubmatch(b.text, -1)...)
	}
	if len(lines) < 3 {
		t.Fatalf("the page shows only %d messages", len(lines))
	}
	c := exec.Command(program(release(t)), "serve", "--ephemeral", "--no-open", "--addr", "127.0.0.1:0")
	c.Env = append(c.Environ(), "HOME="+t.TempDir())
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	}()
	var at []string
	for lines := bufio.NewScanner(out); at == nil && lines.Scan() && !strings.Contains(lines.Text(), "Press Ctrl-C"); {
		at = office.FindStringSubmatch(lines.Text())
	}
	if at == nil {
		t.Fatal("the office did not open")
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	conn, err := socket.Dial(ctx, socket.Config{URL: "ws" + at[1] + "/ws/world"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	context.AfterFunc(ctx, conn.Abort)
	for _, line := range lines {
		if err := conn.Write([]byte(line[1])); err != nil {
			t.Fatal(err)
		}
	}
	for {
		message, err := conn.Read()
		if err != nil {
			t.Fatalf("the request was not accepted: %v", err)
		}
		if strings.Contains(string(message), `"type":"error"`) {
			t.Fatalf("the office rejected a message on the page: %s", message)
		}
		if strings.Contains(string(message), `"request_accepted"`) {
			return
		}
	}
}
