package acp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/acp"
	"github.com/bullpen-office/bullpen/drive"
)

func openWith(r *rig) (drive.Session, error) {
	return acp.New(r.config).Open(r.t.Context(), drive.Spec{Workspace: r.dir})
}

// A conversation is resumed with the method that the agent offers. A conversation that the agent
// still lists, or that needs a person to sign in first, is not given up.
func TestResume(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string // the answer, or the error
		lost bool
	}{
		"resume":           {[]string{"resume"}, "session/resume", false},
		"load":             {[]string{"load"}, "session/load", false},
		"cannot":           {[]string{"none"}, "it cannot resume conversations", true},
		"not found":        {[]string{"load", "-32002"}, "cannot open it", true},
		"failed":           {[]string{"load", "-32603"}, "cannot open it", true},
		"failed, listed":   {[]string{"list", "-32603"}, "could not open a session: cannot open it", false},
		"sign in required": {[]string{"load", "-32000"}, "sign in", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, append([]string{"resume"}, c.args...)...)
			answer, err := r.turn(r.open("s1"), "go")
			if err != nil {
				answer.Text = err.Error()
			}
			if !strings.Contains(answer.Text, c.want) || errors.Is(err, drive.ErrNoConversation) != c.lost {
				t.Errorf("%q %v", answer.Text, err)
			}
			if strings.Contains(r.sink.Text(), "long ago") {
				t.Error("the past was streamed again")
			}
			r.checked(true)
		})
	}
	t.Run("unlisted", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "resume", "list", "-32603")
		if _, err := r.turn(r.open("s9"), "go"); !errors.Is(err, drive.ErrNoConversation) {
			t.Errorf("%v", err)
		}
		if n := len(sent(r.checked(true), "session/list")); n != 3 {
			t.Errorf("%d pages", n)
		}
	})
}

// The runner's model and mode are set with the methods that the agent offers.
func TestModelAndMode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args        []string
		model, mode string
		want        string // part of the error
		calls       []string
	}{
		"lists":      {[]string{"lists"}, "large", "ask", "", []string{"session/set_model modelId=large", "session/set_mode modeId=ask"}},
		"options":    {[]string{"options"}, "large", "ask", "", []string{"session/set_config_option configId=model value=large", "session/set_config_option configId=m value=ask"}},
		"set":        {[]string{"options"}, "small", "auto", "", nil},
		"unknown":    {[]string{"lists"}, "huge", "", `no model "huge": use one of small, large`, nil},
		"not at all": {[]string{"none"}, "", "ask", "does not let the office choose its mode", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, append([]string{"settings"}, c.args...)...)
			r.config.Model, r.config.Mode = c.model, c.mode
			answer, err := r.ask("go")
			if c.want == "" && (err != nil || answer.Text != "set") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%+v %v", answer, err)
			}
			var calls []string
			for _, e := range r.checked(true) {
				method, _ := e.Msg["method"].(string)
				if params, _ := e.Msg["params"].(map[string]any); strings.HasPrefix(method, "session/set_") {
					for _, name := range []string{"modeId", "modelId", "configId", "value"} {
						if v, ok := params[name].(string); ok {
							method += " " + name + "=" + v
						}
					}
					calls = append(calls, method)
				}
			}
			if diff := cmp.Diff(c.calls, calls); diff != "" {
				t.Error(diff)
			}
		})
	}
}
