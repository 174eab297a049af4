package openclaw

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/contracts"
)

const defaultGatewayPort = 18789

// find returns one item: the gateway on this machine, whose agents can appear as guests.
func find(ctx context.Context, m *agents.Machine) []agents.Item {
	it := contracts.ConnectItem{ID: "openclaw", Group: contracts.ConnectGuests, Name: "OpenClaw", State: contracts.ConnectMissing, Command: "npm install -g openclaw",
		Saw: "OpenClaw is not in PATH and has no configuration here.", Does: "Run this to install OpenClaw, then check again."}
	links := m.Office.Links[translate.Source]
	port, configured := gatewayPort(m)
	address := "ws://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	_, err := exec.LookPath("openclaw")
	probe, cancel := context.WithTimeout(ctx, contracts.ConnectProbe)
	defer cancel()
	_, silent := watch.Check(probe, watch.Config{URL: address, Version: "connect"})
	switch {
	case len(links) > 0:
		g := links[0]
		for _, other := range links { // report a broken connection first
			if g.Connected && !other.Connected {
				g = other
			}
		}
		it.State, it.Saw = contracts.ConnectConnected, fmt.Sprintf("The gateway %s is connected; agents seen: %d.", agents.WithoutSecrets(g.URL), m.Office.Guests[translate.Source])
		it.Command, it.Does = m.Command("serve", "--openclaw "+agents.WithoutSecrets(g.URL)), "Its agents appear here, and its approvals can be answered here."
		if !g.Connected {
			it.State, it.Saw, it.Does = contracts.ConnectProblem, "The gateway "+agents.WithoutSecrets(g.URL)+" is not connected: "+g.Problem, g.Do
		}
	case silent == nil:
		it.State, it.Saw = contracts.ConnectFound, "A gateway is responding at "+address+"."
		it.Command, it.Does = m.Command("serve", "--openclaw "+address), "Stop this office with Ctrl-C and restart it with this command. The gateway token is read from OPENCLAW_GATEWAY_TOKEN."
	case err == nil || configured:
		it.State, it.Saw = contracts.ConnectFound, "OpenClaw is installed, but no gateway is responding at "+address+"."
		it.Command, it.Does = "openclaw gateway", "Run this to start the gateway, then check again."
	}
	return []agents.Item{{Order: 20, ConnectItem: it}}
}

// gatewayPort returns the port of this machine's gateway, and whether OpenClaw has a configuration
// file.
func gatewayPort(m *agents.Machine) (port int, configured bool) {
	if n, err := strconv.Atoi(m.Getenv("OPENCLAW_GATEWAY_PORT")); err == nil && n > 0 && n < 1<<16 {
		port = n
	}
	file, err := os.Open(filepath.Join(m.Home, ".openclaw", "openclaw.json"))
	if err != nil {
		return cmp.Or(port, defaultGatewayPort), false
	}
	defer file.Close()
	var settings struct {
		Gateway struct {
			Port int `json:"port"`
		} `json:"gateway"`
	}
	// A file with JSON5 comments cannot be decoded; its port is ignored.
	if json.UnmarshalRead(io.LimitReader(file, contracts.LimitConnectFile), &settings) == nil && port == 0 && settings.Gateway.Port > 0 && settings.Gateway.Port < 1<<16 {
		port = settings.Gateway.Port
	}
	return cmp.Or(port, defaultGatewayPort), true
}
