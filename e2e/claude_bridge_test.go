//go:build unix

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// completion sends a request to the OpenAI API and returns the status, the answer and the body.
func (d *desk) completion(request message) (int, string, []byte) {
	d.t.Helper()
	request["model"] = "bullpen/agent_eng_1"
	resp, err := quickClient.Post("http://"+d.addr+"/v1/chat/completions", "application/json", strings.NewReader(jsonText(request)))
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	var got struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err != nil || json.Unmarshal(body, &got) != nil || resp.StatusCode == http.StatusOK && len(got.Choices) != 1 {
		d.t.Fatalf("%d %s %v", resp.StatusCode, body, err)
	}
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, "", body
	}
	return resp.StatusCode, got.Choices[0].Message.Content, body
}

// calls sends a prompt to a crew member through the OpenAI API and returns the answer.
func (d *desk) calls(text string) string {
	d.t.Helper()
	status, answer, body := d.completion(message{"user": "desk", "messages": []any{chatMessage("user", text)}})
	if status != http.StatusOK {
		d.t.Fatalf("%d %s", status, body)
	}
	return answer
}

// chatMessage returns a chat completion message with this role and content.
func chatMessage(role string, content any) message { return message{"role": role, "content": content} }

// transcripts lists the transcript files of the conversations in the project.
func (d *desk) transcripts() []string {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(d.home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

// untilEnded waits until every process of the wrapped Claude Code has exited, because until then it
// may still write to its transcript.
func (d *desk) untilEnded() {
	d.t.Helper()
	pids, err := os.ReadFile(filepath.Join(d.home, "claude.pids"))
	if err != nil {
		d.t.Fatal(err)
	}
	until(d.t, "Claude Code has ended", func() bool {
		return !slices.ContainsFunc(strings.Fields(string(pids)), func(pid string) bool {
			command, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline")) // empty for a zombie
			return len(command) > 0
		})
	})
}

// B14: a bridge conversation with real Claude Code continues after the office is closed and after
// it is killed. If Claude Code has lost the conversation, the conversation starts over and the
// caller is notified once.
func TestClaudeConversationSurvivesRestarts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string][]reply{"one": {says("One.")}, "two": {says("Two.")}, "three": {says("Three.")}})
	config := filepath.Join(d.home, "bullpen.yaml")
	d.file("home/bullpen.yaml", fmt.Sprintf("crew: claude\nrunners:\n  claude:\n    kind: claude\n    command: %q\n    workspace: %q\n", d.wrapped(), d.project))
	for i, part := range []struct {
		prompt, answer string
		end            func()
	}{
		{"[one] Begin.", "One.", d.close},
		{"[two] Go on.", "Two.", func() {
			_ = d.office.Process.Kill()
			_ = d.office.Wait()
		}},
		{"[three] And on.", "Three.", d.close},
	} {
		d.open("--crew", "claude", "--config", config)
		if got := d.calls(part.prompt); got != part.answer {
			t.Errorf("answer %d is %q", i, got)
		}
		part.end()
	}
	if got, want := d.prompts(), []string{"[one] Begin.", "[two] Go on.", "[three] And on."}; !slices.Equal(got, want) || len(d.transcripts()) != 1 {
		t.Errorf("%q in %q", got, d.transcripts())
	}
	d.untilEnded()
	for _, path := range d.transcripts() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	d.open("--crew", "claude", "--config", config)
	if got := d.calls("[one] Begin again."); !strings.HasPrefix(got, "(The earlier conversation could not be resumed") || !strings.HasSuffix(got, "One.") {
		remembered, _ := os.ReadFile(filepath.Join(d.data, "conversations.json"))
		t.Errorf("%q, with transcripts %q and %s", got, d.transcripts(), remembered)
	}
	if got := d.calls("[two] Go on."); got != "Two." {
		t.Errorf("%q", got)
	}
}

// B3: a caller that does not name a conversation gets its own conversation with real Claude Code.
// Claude Code receives all earlier messages, including images, and the caller continues by sending
// them again. Another caller gets another conversation.
func TestClaudeGetsTheWholeConversation(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string][]reply{"one": {says("One.")}, "two": {says("Two.")}, "three": {says("Three.")}})
	d.addr = startServer(t, server.Config{DataDir: d.data, Staff: staff.Staff{Default: "claude", Runners: map[string]staff.Runner{
		"claude": {Kind: "claude", Command: d.wrapped(), Workspace: d.project},
	}}})
	talk := func(messages ...any) string {
		t.Helper()
		status, answer, body := d.completion(message{"messages": messages})
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		return answer
	}
	begin := []any{chatMessage("system", "Be brief."), chatMessage("user", "Remember 7."), chatMessage("assistant", "Seven."), chatMessage("user", "[one] Begin.")}
	if got := talk(begin...); got != "One." {
		t.Fatalf("%q", got)
	}
	pixel := "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	next := append(begin, chatMessage("assistant", "One."), chatMessage("user", []any{
		message{"type": "text", "text": "[two] What is this?"}, message{"type": "image_url", "image_url": message{"url": pixel}},
	}))
	if got := talk(next...); got != "Two." {
		t.Fatalf("%q", got)
	}
	checkRequest := func(script string, words ...string) {
		t.Helper()
		for _, w := range words {
			if w = strings.Trim(jsonText(w), `"`); !strings.Contains(d.model.lastRequest(script), w) {
				t.Errorf("%s: the model did not get %s", script, w)
			}
		}
	}
	checkRequest("one", `{"role":"system","content":"Be brief."}`, `{"role":"user","content":"Remember 7."}`, `{"role":"assistant","content":"Seven."}`, "[one] Begin.")
	checkRequest("two", `{"role":"system","content":"Be brief."}`, "[one] Begin.", "[two] What is this?")
	if n := strings.Count(d.model.lastRequest("two"), "Be brief."); n != 1 {
		t.Errorf("messages that Claude Code has were sent %d times", n)
	}
	if !strings.Contains(d.model.lastRequest("two"), "image/png") && !strings.Contains(d.model.lastRequest("two"), `"type":"image"`) {
		t.Error("the image did not reach the model")
	}
	if got := talk(chatMessage("user", "[three] Another caller.")); got != "Three." || strings.Contains(d.model.lastRequest("three"), "Begin.") {
		t.Errorf("%q: one caller's words reached another's model", got)
	}
	if status, _, body := d.completion(message{"messages": begin, "temperature": 0.2}); status != http.StatusBadRequest || !strings.Contains(string(body), `"param":"temperature"`) {
		t.Errorf("unsupported content: %d %s", status, body)
	}
}
