package openclaw

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/staff"
)

// Adapter makes OpenClaw agents available as runners for the crew and as guests.
var Adapter = agents.Adapter{
	Source: contracts.Source{
		Source: translate.Source, Label: "OpenClaw", Color: "#2f8f88", Provider: "openclaw",
		Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession},
	},
	Support: &agents.Support{
		Page: "openclaw.md", Watch: "gateway", Drive: "yes", Approve: "yes", Cost: "reported", Tested: "2026.9.6",
	},
	Runner: &staff.Spec{
		Kind:   translate.Source,
		Fields: []string{"lenient", "url", "token_env", "token_file", "agent"},
	},
	Drive: func(d agents.DriveConfig) agents.NewDriver {
		return func(_ string, r staff.Runner) (drive.Driver, error) { return newDriver(d, r) }
	},
	Check:    check,
	Find:     find,
	Settings: &settings,
	Watch:    newWatcher,
}

// DeviceDir returns the directory under dataDir where the device key and the gateway tokens are
// stored. If dataDir is empty, it returns "", and the key and tokens are kept in memory.
func DeviceDir(dataDir string) string {
	if dataDir == "" {
		return ""
	}
	return filepath.Join(dataDir, "openclaw")
}

// newWatcher returns a watcher for the configured gateways. An agent's id contains its gateway's
// tag, unless the agent belongs to the first gateway.
func newWatcher(w agents.WatchConfig) (agents.Watcher, error) {
	var list watch.Followers
	for i, g := range Gateways(w.Options) {
		f, err := watch.New(watch.Config{
			URL: g.URL, Tag: g.tag(i), Token: g.Token, ReadOnly: g.ReadOnly, Dir: DeviceDir(w.DataDir), Version: w.Version, KeepThinking: w.KeepThinking, Price: w.Price,
			Office: w.Office, Roster: w.Roster, Now: w.Now, Log: w.Log,
		})
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

const defaultGateway = "ws://127.0.0.1:18789"

// newDriver returns the driver for an agent behind a gateway. The gateway is the one in the
// runner's configuration, or else the first configured gateway, or else the one at the default
// address.
func newDriver(d agents.DriveConfig, r staff.Runner) (drive.Driver, error) {
	address, token := r.URL, ""
	if list := Gateways(d.Options); address == "" && len(list) > 0 {
		address, token = list[0].URL, list[0].Token
	}
	address, err := watch.Address(cmp.Or(address, defaultGateway), false)
	if err != nil {
		return nil, err
	}
	own, _, err := r.Token(d.Getenv, d.ReadFile)
	if err != nil && !errors.Is(err, staff.ErrNoKey) {
		return nil, err
	}
	return New(Config{URL: address, Token: cmp.Or(own, token), Dir: DeviceDir(d.DataDir), Agent: r.Agent, Version: d.Version, Now: d.Now, Log: d.Log}), nil
}
