package tools_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/tools"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// person is an office with one question, which is answered after a number of checks.
type person struct {
	tools.Office
	checks chan error // the results of the checks before the answer
}

func (p person) Ask(context.Context, tools.Question) (tools.Answer, error) {
	return tools.Answer{QuestionID: "dec_d1", Status: tools.Waiting}, nil
}

func (p person) Answer(_ context.Context, id string, wait time.Duration) (tools.Answer, error) {
	select {
	case err := <-p.checks:
		time.Sleep(wait)
		return tools.Answer{QuestionID: id, Status: tools.Waiting}, err
	default:
		return tools.Answer{QuestionID: id, Status: tools.Answered, Answer: "Yes"}, nil
	}
}

// connect returns a client that is connected to a server with the tools.
func connect(t *testing.T, cfg tools.Config, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	served, err := tools.New(cfg).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "any agent", Version: "1"}, options).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(); _ = served.Wait() })
	return session
}

// textOf calls a tool and returns the text of its result.
func textOf(t *testing.T, s *mcp.ClientSession, params *mcp.CallToolParams) (text string, failed bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// A call that waits reports progress, and keeps waiting while the office cannot be reached.
func TestWaitReportsProgress(t *testing.T) {
	checks := make(chan error, 3)
	checks <- nil
	checks <- fmt.Errorf("%w: restarting", tools.ErrUnreachable)
	checks <- nil
	progress := make(chan *mcp.ProgressNotificationParams, 16)
	s := connect(t, tools.Config{Office: person{checks: checks}, Progress: time.Millisecond}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params },
	})
	params := &mcp.CallToolParams{Name: "ask_person", Arguments: tools.Question{Text: "Go?", WaitSeconds: new(600)}}
	params.SetProgressToken("p1")
	if text, failed := textOf(t, s, params); failed || !strings.Contains(text, `"answer":"Yes"`) {
		t.Errorf("%s", text)
	}
	if p := <-progress; p.ProgressToken != "p1" || !strings.Contains(p.Message, "dec_d1") || p.Total != 600 {
		t.Errorf("%+v", p)
	}
}

// hanging is an office that records a question and then stops responding.
type hanging struct{ person }

func (hanging) Answer(ctx context.Context, _ string, _ time.Duration) (tools.Answer, error) {
	<-ctx.Done()
	return tools.Answer{}, fmt.Errorf("%w: %w", tools.ErrUnreachable, ctx.Err())
}

// If the office hangs, a wait exceeds its time limit by at most ToolGrace.
func TestWaitEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, begun := connect(t, tools.Config{Office: hanging{}}, nil), time.Now()
		text, failed := textOf(t, s, &mcp.CallToolParams{Name: "ask_person", Arguments: tools.Question{Text: "Go?"}})
		if failed || !strings.Contains(text, "read_answer") || time.Since(begun) != contracts.ToolWaitDefault+contracts.ToolGrace {
			t.Errorf("%s after %v", text, time.Since(begun))
		}
	})
}

// A refusal ends the wait.
func TestWaitEndsWithARefusal(t *testing.T) {
	checks := make(chan error, 1)
	checks <- contracts.Refuse(contracts.CodeNotAllowed, "the token was revoked")
	s := connect(t, tools.Config{Office: person{checks: checks}, Progress: time.Millisecond}, nil)
	text, failed := textOf(t, s, &mcp.CallToolParams{Name: "ask_person", Arguments: tools.Question{Text: "Go?"}})
	if !failed || !strings.Contains(text, "the token was revoked") {
		t.Errorf("%s", text)
	}
}

// Every tool describes its arguments and limits them; none accepts the name of an agent.
func TestToolsHaveLimits(t *testing.T) {
	s := connect(t, tools.Config{Office: person{}}, nil)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 8 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, tool := range list.Tools {
		schema := tool.InputSchema.(map[string]any)
		if schema["additionalProperties"] == nil || tool.Description == "" {
			t.Errorf("%s: %v", tool.Name, schema)
		}
		for name, p := range schema["properties"].(map[string]any) {
			of := p.(map[string]any)
			limited := of["maxLength"] != nil || of["maximum"] != nil || of["maxItems"] != nil
			if !limited && of["type"] != "boolean" && name != "answers" || strings.Contains(name, "agent") {
				t.Errorf("%s has no limit for %s: %v", tool.Name, name, of)
			}
		}
	}
}

// A Remote returns the office's refusal. If the office does not respond, the error says what to do.
func TestRemoteErrors(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"code":"NOT_ALLOWED","message":"send its token"}`))
	}))
	defer refusing.Close()
	remote := func(url string) *tools.Remote {
		return tools.NewRemote(tools.RemoteConfig{Retry: 1, Find: func() (tools.Endpoint, error) { return tools.Endpoint{URL: url}, nil }})
	}
	var refusal *contracts.Refusal
	if _, err := remote(refusing.URL).Board(t.Context(), tools.BoardRequest{}); !errors.As(err, &refusal) || refusal.Message != "send its token" {
		t.Errorf("refused: %v", err)
	}
	refusing.Close()
	if _, err := remote(refusing.URL).Board(t.Context(), tools.BoardRequest{}); !errors.Is(err, tools.ErrUnreachable) || !strings.Contains(err.Error(), "bullpen serve") {
		t.Errorf("down: %v", err)
	}
}
