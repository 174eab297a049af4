package openclaw

import (
	"path/filepath"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter is OpenClaw.
var Adapter = agents.Adapter{
	Kind:  staff.OpenClaw,
	Check: check,
	Find:  find,
	Source: contracts.Source{
		Source: translate.Source, Label: "OpenClaw", Color: "#2f8f88", Provider: "openclaw",
		Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession},
	},
	Settings: &settings,
	Watch:    newWatcher,
}

// DeviceDir is where the key and the tokens for gateways lie in a data directory; empty
// keeps them in memory.
func DeviceDir(dataDir string) string {
	if dataDir == "" {
		return ""
	}
	return filepath.Join(dataDir, "openclaw")
}

// newWatcher prepares to follow the gateways. The agents of the first keep their plain
// names; a tag tells those of the others apart.
func newWatcher(w agents.Watching) (agents.Watcher, error) {
	var list watch.Followers
	for i, g := range Gateways(w.Options) {
		f, err := watch.New(watch.Config{
			URL: g.URL, Tag: g.tag(i), Token: g.Token, Watch: g.Watch, Dir: DeviceDir(w.DataDir), Version: w.Version, KeepThinking: w.KeepThinking, Price: w.Price,
			Office: w.Office, Roster: w.Roster, Now: w.Now, Log: w.Log,
		})
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}
