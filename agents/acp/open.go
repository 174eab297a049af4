package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/acp/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/hud"
)

// protocol is the version of the Agent Client Protocol that the office supports.
const protocol = 1

// The methods that the office calls.
const (
	methodInitialize = "initialize"
	methodNew        = "session/new"
	methodLoad       = "session/load"
	methodResume     = "session/resume"
	methodList       = "session/list"
	methodClose      = "session/close"
	methodPrompt     = "session/prompt"
	methodCancel     = "session/cancel"
)

// conversation holds the parameters of session/new, session/load and session/resume.
type conversation struct {
	Session string   `json:"sessionId,omitzero"`
	Dir     string   `json:"cwd"`
	Servers []string `json:"mcpServers"` // always empty: an agent uses the servers that it is configured with
}

// Open initializes the connection, resumes the conversation with this id or starts a new one, and
// returns the conversation's id.
func (r *run) Open(ctx context.Context, id string) (string, error) {
	result, err := r.Call(ctx, methodInitialize, map[string]any{
		"protocolVersion":    protocol,
		"clientInfo":         map[string]string{"name": "bullpen", "title": "Bullpen", "version": r.driver.cfg.Version},
		"clientCapabilities": map[string]any{"fs": map[string]bool{"readTextFile": true, "writeTextFile": true}, "terminal": true},
	}, nil)
	if err != nil {
		return "", r.explain("initialize", err)
	}
	agent, err := translate.ReadAgent(result)
	switch {
	case err != nil:
		return "", fmt.Errorf("the program does not speak the Agent Client Protocol: cannot decode its response to initialize: %w", err)
	case agent.Version != protocol:
		return "", fmt.Errorf("the program uses version %d of the Agent Client Protocol, but Bullpen supports version %d; update the older one", agent.Version, protocol)
	}
	settings, err := r.openConversation(ctx, agent, id)
	if err != nil {
		return "", err
	}
	if err := r.configure(ctx, settings); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.agent = agent
	return settings.ID, nil
}

// openConversation starts a conversation if id is empty; otherwise it resumes the conversation with
// that id.
func (r *run) openConversation(ctx context.Context, agent translate.Agent, id string) (translate.Settings, error) {
	c := conversation{Dir: r.files.Dir(), Servers: []string{}, Session: id}
	var result jsontext.Value
	var err error
	switch {
	case id == "":
		result, err = r.Call(ctx, methodNew, c, nil)
	case agent.Resume:
		result, err = r.Call(ctx, methodResume, c, nil)
	case agent.Load:
		result, err = r.Call(ctx, methodLoad, c, nil)
	default:
		return translate.Settings{}, fmt.Errorf("%w: it cannot resume conversations", drive.ErrNoConversation)
	}
	if err != nil {
		return translate.Settings{}, r.notOpened(ctx, agent, id, err)
	}
	s := translate.ReadSettings(result)
	if id != "" {
		s.ID = id
	}
	if s.ID == "" {
		return s, errors.New("the agent's new session has no id")
	}
	r.mu.Lock()
	r.session = s.ID
	r.mu.Unlock()
	r.driver.cfg.Began(s.ID)
	return s, nil
}

// notOpened returns an error that explains why a conversation was not opened. The error is
// drive.ErrNoConversation only if the agent does not have the conversation, because the office
// abandons the conversation after that error.
func (r *run) notOpened(ctx context.Context, agent translate.Agent, id string, err error) error {
	var failed *rpc.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case failed.Code == rpc.CodeSignIn:
		return signInError(agent, failed)
	case id == "" || failed.Code != rpc.CodeNotFound && agent.List && r.lists(ctx, id):
		return r.explain("open a session", err)
	}
	return fmt.Errorf("%w: %s", drive.ErrNoConversation, hud.Line(failed.Message, contracts.LimitNote))
}

func signInError(agent translate.Agent, failed *rpc.Error) error {
	how := strings.Join(agent.Logins, "; ")
	if how == "" {
		how = "see the agent's documentation"
	}
	return fmt.Errorf("someone must sign in to the agent first (%s): %s", hud.Line(failed.Message, contracts.LimitPreview), how)
}

// lists reports whether the agent's list of sessions contains id.
func (r *run) lists(ctx context.Context, id string) bool {
	cursor := ""
	for range contracts.LimitACPPages {
		params := map[string]string{"cwd": r.files.Dir()}
		if cursor != "" {
			params["cursor"] = cursor
		}
		result, err := r.Call(ctx, methodList, params, nil)
		var page struct {
			Sessions []struct {
				ID string `json:"sessionId"`
			} `json:"sessions"`
			Next string `json:"nextCursor"`
		}
		if err != nil {
			return false
		}
		_, _ = hud.Decode(result, &page)
		for _, s := range page.Sessions {
			if s.ID == id {
				return true
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return false
}

// configure sets the runner's model and mode.
func (r *run) configure(ctx context.Context, s translate.Settings) error {
	for _, want := range []struct {
		name, value string
		choice      translate.Choice
	}{{"model", r.driver.cfg.Model, s.Model}, {"mode", r.driver.cfg.Mode, s.Mode}} {
		switch {
		case want.value == "" || want.value == want.choice.Current:
			continue
		case want.choice.Method == "":
			return fmt.Errorf("the agent does not let the office choose its %s: remove %s from the runner", want.name, want.name)
		case !want.choice.Offers(want.value):
			values := want.choice.Values[:min(len(want.choice.Values), contracts.LimitACPChoices)]
			return fmt.Errorf("the agent has no %s %q: use one of %s", want.name, want.value, hud.Line(strings.Join(values, ", "), contracts.LimitNote))
		}
		if _, err := r.Call(ctx, want.choice.Method, want.choice.Params(s.ID, want.value), nil); err != nil {
			return r.explain("set the "+want.name, err)
		}
	}
	return nil
}

// closeConversation tells the agent that the conversation is not needed for now.
func (r *run) closeConversation(grace time.Duration) {
	r.mu.Lock()
	id, can := r.session, r.agent.Close
	r.mu.Unlock()
	if !can || id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	defer r.LimitWritesAfter(ctx)()
	_, _ = r.Call(ctx, methodClose, map[string]string{"sessionId": id}, nil) // the process is stopped next, whatever the answer
}

// explain adds the name of the failed request to an error response from the agent. Other errors are
// returned unchanged.
func (r *run) explain(what string, err error) error {
	var failed *rpc.Error
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("the agent could not %s: %s", what, hud.Line(failed.Message, contracts.LimitNote))
}
