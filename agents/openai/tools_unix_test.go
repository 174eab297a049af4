//go:build unix

package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// bench is a rig with a workspace.
type bench struct {
	*rig
	dir  string
	sink *drivetest.Sink
}

// newBench returns a bench on which every call is allowed.
func newBench(t *testing.T, script func(drivetest.Call) drivetest.Answer, change ...func(*Config)) *bench {
	t.Helper()
	free := func(c *Config) { c.Restricted = func(string, contracts.Permission) bool { return false } }
	b := &bench{newRig(t, script, append([]func(*Config){free}, change...)...), t.TempDir(), &drivetest.Sink{}}
	b.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) { return drive.Verdict{Allow: true}, nil }
	b.file(t, "a.txt", "one\n")
	return b
}

func (b *bench) file(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) text(name string) string {
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// do runs a task in the workspace. After an invalid answer it prompts the model once more, as the
// crew does.
func (b *bench) do(ctx context.Context) (crew.Result, error) {
	job := taskJob()
	s, err := b.Open(ctx, drive.Spec{AgentID: job.AgentID, Workspace: b.dir})
	if err != nil {
		return crew.Result{}, err
	}
	defer s.Close()
	p := drive.Prompt{Form: drive.FormResult, Work: &contracts.Work{AgentID: job.AgentID, Project: job.Project, Task: &job.TaskWork}}
	var result crew.Result
	for range 2 {
		var a drive.Answer
		if a, err = s.Turn(ctx, p, b.sink); err == nil {
			result, err = crew.Parser{Object: true, Workspace: b.dir}.Result(a.Text, job)
		}
		if !errors.Is(err, drive.ErrMalformed) {
			break
		}
		p.RetryReason = err.Error()
	}
	return result, err
}

func calls(list ...drivetest.ToolCall) drivetest.Answer {
	return drivetest.Answer{Calls: list, In: 100, Out: 10}
}

const delivered = `{"question":null,"artifacts":[{"type":"code","title":"The file","mime":"text/plain","content":"","path":"b.txt"}],"follow_ups":[]}`

// A model reads and changes files and runs commands in its workspace, with parallel calls whose
// arguments arrive in pieces, and delivers a file.
func TestModelWorksWithTools(t *testing.T) {
	for name, whole := range map[string]bool{"streamed": false, "whole": true} {
		t.Run(name, func(t *testing.T) {
			steps := []drivetest.Answer{
				calls(drivetest.ToolCall{ID: "c1", Name: "read_file", Args: `{"path":"a.txt"}`}, drivetest.ToolCall{ID: "c2", Name: "list_files"}),
				calls(drivetest.ToolCall{ID: "c1", Name: "edit_file", Args: `{"path":"a.txt","old_string":"one","new_string":"1"}`},
					drivetest.ToolCall{ID: "c2", Name: "write_file", Args: `{"path":"b.txt","content":"two\n"}`}),
				calls(drivetest.ToolCall{ID: "c1", Name: "run_command", Args: `{"command":"cat a.txt b.txt"}`}),
				{Text: delivered, In: 100, Out: 10},
			}
			for i := range steps {
				steps[i].Whole = whole
			}
			steps[0].Text, steps[0].Thought = "I look first.", "hm"
			b := newBench(t, inTurn(steps...))
			result, err := b.do(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := []crew.Artifact{{Type: "code", Title: "The file", MIME: "text/plain", Content: "two\n"}}
			if diff := cmp.Diff(want, result.Artifacts); diff != "" {
				t.Error(diff)
			}
			if b.text("a.txt") != "1\n" || b.text("b.txt") != "two\n" {
				t.Errorf("the files are %q and %q", b.text("a.txt"), b.text("b.txt"))
			}
			asked := b.model.Calls()
			for i, want := range [][]string{nil, {"one\n", "a.txt\n"}, {"changed a.txt in 1 place(s)", "wrote 4 bytes to b.txt"}, {"exit code 0\n1\ntwo\n"}} {
				if diff := cmp.Diff(want, asked[i].Results); diff != "" {
					t.Errorf("request %d: %s", i+1, diff)
				}
			}
			first := asked[0]
			if len(first.Tools) != 7 || first.Format != "" || !strings.Contains(first.System, "working directory") || !strings.Contains(first.Prompt, "artifact's path") {
				t.Errorf("the first request is %s", first.Body)
			}
			if reports := b.sink.Reports(); reports[len(reports)-1].TokensIn != 400 || reports[len(reports)-1].TokensOut != 40 {
				t.Errorf("usage %+v", reports[len(reports)-1])
			}
			if body := string(asked[1].Body); !whole && !strings.Contains(body, `"reasoning_content":"hm"`) || !strings.Contains(body, `"content":"I look first."`) {
				t.Errorf("the model's own message is not sent back: %s", body)
			}
		})
	}
}

// A call that is denied changes nothing, and the model can continue.
func TestDeniedCallsAreNotMade(t *testing.T) {
	b := newBench(t, inTurn(
		calls(drivetest.ToolCall{ID: "c1", Name: "write_file", Args: `{"path":"a.txt","content":"x"}`}, drivetest.ToolCall{ID: "c2", Name: "run_command", Args: `{"command":"touch x"}`}),
		drivetest.Answer{Text: goodResult}))
	b.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) { return drive.Verdict{Note: "not now"}, nil }
	if _, err := b.do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.model.Calls()[1].Results; len(got) != 2 || got[0] != "error: the call was denied: not now" || b.text("a.txt") != "one\n" {
		t.Errorf("results %q, file %q", got, b.text("a.txt"))
	}
	if _, err := os.Stat(filepath.Join(b.dir, "x")); err == nil {
		t.Error("a denied command ran")
	}
}

// Calls with malformed arguments or unknown tools return errors to the model, in a conversation
// that every endpoint accepts.
func TestMalformedCallsAreReturned(t *testing.T) {
	b := newBench(t, inTurn(
		calls(drivetest.ToolCall{ID: "c1", Name: "read_file", Args: `{"path":"a.t`}, drivetest.ToolCall{ID: "c2", Name: "web_search", Args: `{"query":"x"}`}, drivetest.ToolCall{Name: "read_file", Args: `{"path":"../x"}`}),
		drivetest.Answer{Text: goodResult}))
	if _, err := b.do(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := b.model.Calls()[1]
	for i, want := range []string{"not a JSON object", "there is no tool", "outside the workspace"} {
		if !strings.HasPrefix(second.Results[i], "error: ") || !strings.Contains(second.Results[i], want) {
			t.Errorf("result %d is %q", i, second.Results[i])
		}
	}
	if body := string(second.Body); !strings.Contains(body, `"arguments":"{}"`) || strings.Contains(body, `a.t\"`) || !strings.Contains(body, `"tool_call_id":"call_3"`) {
		t.Errorf("the conversation is %s", body)
	}
}

// An endpoint may send the same index for all calls, and repeat their names.
func TestCallsWithoutAnIndex(t *testing.T) {
	fragment := func(id, name, args string) string {
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":%q,"function":{"name":%q,"arguments":%q}}]}}]}`+"\n\n", id, name, args)
	}
	raw := fragment("c1", "read_file", `{"path":`) + fragment("c1", "read_file", `"a.txt"}`) + fragment("c2", "list_files", `{}`) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	b := newBench(t, inTurn(drivetest.Answer{Raw: raw, Header: map[string]string{"Content-Type": "text/event-stream"}}, drivetest.Answer{Text: goodResult}))
	if _, err := b.do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one\n", "a.txt\n"}, b.model.Calls()[1].Results); diff != "" {
		t.Error(diff)
	}
}

// A model that never stops calling tools must answer without them after LimitToolRounds.
func TestEndlessCallsEnd(t *testing.T) {
	b := newBench(t, func(c drivetest.Call) drivetest.Answer {
		if len(c.Tools) == 0 {
			return drivetest.Answer{Text: goodResult}
		}
		return calls(drivetest.ToolCall{ID: "c1", Name: "list_files"})
	})
	if _, err := b.do(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := b.model.Calls()
	if last := asked[len(asked)-1]; len(asked) != contracts.LimitToolRounds+1 || last.Prompt != noMoreTools || last.Format == "" {
		t.Errorf("%d requests, the last with %q, format %q", len(asked), last.Prompt, last.Format)
	}
}

// When a conversation becomes too long, the model must answer without tools. An answer with too
// many calls is an error.
func TestLongConversationsEnd(t *testing.T) {
	b := newBench(t, func(c drivetest.Call) drivetest.Answer {
		if len(c.Tools) == 0 {
			return drivetest.Answer{Text: goodResult}
		}
		return calls(drivetest.ToolCall{ID: "c1", Name: "read_file", Args: `{"path":"long.txt"}`})
	})
	b.file(t, "long.txt", strings.Repeat("lorem ipsum\n", contracts.LimitToolText))
	if _, err := b.do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, most := len(b.model.Calls()), contracts.LimitToolMessages/contracts.LimitToolText+2; n > most || n < most/2 {
		t.Errorf("%d requests, want about %d", n, most)
	}
	many := make([]drivetest.ToolCall, contracts.LimitToolCalls+1)
	for i := range many {
		many[i] = drivetest.ToolCall{ID: fmt.Sprint("c", i), Name: "list_files"}
	}
	b = newBench(t, inTurn(calls(many...)))
	_, err := b.do(t.Context())
	wantError(t, err, "more than 32 tool calls")
}

// If an endpoint or model does not accept tools, the model works without them, and the turn reports
// this once.
func TestEndpointsWithoutTools(t *testing.T) {
	refusals := map[string]drivetest.Answer{
		"Ollama":           {Status: http.StatusBadRequest, Text: "registry.ollama.ai/library/m does not support tools"},
		"llama.cpp":        {Status: http.StatusInternalServerError, Text: "tools param requires --jinja flag"},
		"a router":         {Status: http.StatusNotFound, Text: "No endpoints found that support tool use."},
		"says no more":     {Status: http.StatusBadRequest, Text: "invalid request"},
		"names a property": {Status: http.StatusUnprocessableEntity, Text: "body.tools: extra fields not permitted"},
	}
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(c drivetest.Call) drivetest.Answer {
				if len(c.Tools) > 0 {
					return refusal
				}
				return drivetest.Answer{Text: goodResult, In: 10, Out: 10}
			})
			for range 2 {
				if _, err := b.do(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			asked, refused := b.model.Calls(), 0
			for _, c := range asked {
				if len(c.Tools) > 0 {
					refused++
				}
			}
			last := asked[len(asked)-1]
			if refused > 2 || last.Format != "json_schema" || !last.Usage || !strings.Contains(last.System, "You have no tools") || strings.Contains(last.Prompt, "working directory") {
				t.Errorf("%d requests with tools; the last is %s", refused, last.Body)
			}
			if n := strings.Count(b.sink.Thoughts(), "does not accept tools"); n != 1 {
				t.Errorf("said so %d times: %q", n, b.sink.Thoughts())
			}
		})
	}
}

// After an invalid answer without a JSON object, the next request requires the structure and offers
// no tools. After any other invalid answer, it offers the tools again.
func TestInvalidAnswersWithTools(t *testing.T) {
	b := newBench(t, inTurn(drivetest.Answer{Text: "I am done."}, drivetest.Answer{Text: goodResult}))
	if _, err := b.do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second := b.model.Calls()[1]; len(second.Tools) > 0 || second.Format != "json_schema" {
		t.Errorf("the second request is %s", second.Body)
	}
	b = newBench(t, inTurn(drivetest.Answer{Text: delivered}, calls(drivetest.ToolCall{ID: "c1", Name: "write_file", Args: `{"path":"b.txt","content":"two"}`}), drivetest.Answer{Text: delivered}))
	if result, err := b.do(t.Context()); err != nil || result.Artifacts[0].Content != "two" {
		t.Errorf("%+v, %v", result, err)
	}
}

// The runner's mode determines which tools a model has; in text mode or without a workspace it has
// none.
func TestModes(t *testing.T) {
	for mode, want := range map[string]int{"": 7, "ask": 7, "edit": 7, "read": 3, modeText: 0} {
		b := newBench(t, inTurn(drivetest.Answer{Text: goodResult}), func(c *Config) { c.Runner.Mode = mode })
		if _, err := b.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(b.model.Calls()[0].Tools); got != want || b.Capabilities().Workspace != (want > 0) {
			t.Errorf("mode %q: %d tools", mode, got)
		}
	}
	r := newRig(t, inTurn(drivetest.Answer{Text: goodResult}))
	if _, err := r.Work(t.Context(), taskJob(), r.sink); err != nil || len(r.model.Calls()[0].Tools) > 0 {
		t.Errorf("without a workspace: %v, tools %q", err, r.model.Calls()[0].Tools)
	}
}

// Stopping a turn ends its command, and nothing more is sent to the model.
func TestStoppedTurnEndsTheCommand(t *testing.T) {
	b := newBench(t, inTurn(calls(drivetest.ToolCall{ID: "c1", Name: "run_command", Args: `{"command":"sleep 600"}`})))
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	used := errors.New("the budget is used up")
	b.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) {
		go stop(used)
		return drive.Verdict{Allow: true}, nil
	}
	if _, err := b.do(ctx); !errors.Is(err, used) || len(b.model.Calls()) != 1 {
		t.Errorf("%v after %d requests", err, len(b.model.Calls()))
	}
}
