package claude_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/agents/watch"
)

// empty is an office without Claude Code sessions.
type empty struct{ agents.Office }

func (empty) SourceState(context.Context, string) (agents.SourceState, error) {
	return agents.SourceState{}, nil
}

// An ephemeral office does not consume hooks spooled for a durable office.
func TestEphemeralOfficeLeavesTheSpool(t *testing.T) {
	for durable, want := range map[bool]string{true: "data", false: ""} {
		w, err := claude.Adapter.Watch(agents.WatchConfig{Office: empty{}, DataDir: "data", Durable: durable})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.(*watch.Watcher).Spool; got != want {
			t.Errorf("durable %v: the spool is %q", durable, got)
		}
	}
}

func TestDirectoryOfClaudeCode(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	config := ""
	for _, c := range []struct{ set, config, want string }{
		{"auto", "", filepath.Join("/home/dev", ".claude")},
		{"", "", filepath.Join("/home/dev", ".claude")},
		{"auto", "/elsewhere", "/elsewhere"},
		{"off", "/elsewhere", ""},
		{"/given", "/elsewhere", "/given"},
	} {
		config = c.config
		got, err := claude.Adapter.Settings.Resolve(agents.Options{"claude-dir": {c.set}}, func(string) string { return config })
		if err != nil || got.Get(agents.OptionDir) != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}
