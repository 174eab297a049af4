package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
)

// localModel is an address on this machine where a model server may be listening.
type localModel struct {
	name, address, key string
	models             []string
}

// localEndpoints are the default addresses of model servers.
var localEndpoints = []localModel{
	{name: "Ollama", address: "http://127.0.0.1:11434/v1"},
	{name: "LM Studio", address: "http://127.0.0.1:1234/v1"},
	{name: "A model server", address: "http://127.0.0.1:8000/v1"}, // vLLM
	{name: "A model server", address: "http://127.0.0.1:8080/v1"}, // llama.cpp
}

// find returns one item: a model on this machine, or the endpoint that OPENAI_BASE_URL names.
func find(ctx context.Context, m *agents.Machine) []agents.Item {
	it := contracts.ConnectItem{ID: "model", Group: contracts.ConnectDesks, Name: "A model of your own", State: contracts.ConnectMissing,
		Saw:     "No model server is responding on this machine (ports 11434, 1234, 8000, 8080).",
		Does:    "Start a model server first (Ollama, LM Studio, llama.cpp, vLLM), or set OPENAI_BASE_URL and OPENAI_API_KEY to use a hosted endpoint.",
		Command: m.Command("serve", "--crew openai --model MODEL")}
	named := strings.TrimSpace(m.Getenv("OPENAI_BASE_URL"))
	if named != "" && !onLoopback(named) { // only this machine is contacted
		it.State, it.Saw = contracts.ConnectFound, "OPENAI_BASE_URL points to "+agents.WithoutSecrets(named)+"; its models were not queried."
		it.Does = "Stop this office with Ctrl-C and restart it with this command and the name of a model. The crew then uses that model."
	}
	if found := endpoints(ctx, named, m); len(found) > 0 {
		first := found[0]
		it.State, it.Saw = contracts.ConnectFound, foundModels(found)
		it.Command = m.Command("serve", "--crew openai --model "+agents.ShellWord(first.models[0]))
		if first.address != named {
			it.Command = "OPENAI_BASE_URL=" + first.address + " " + it.Command
		}
		it.Does = "Stop this office with Ctrl-C and restart it with this command. The crew then uses this model."
	}
	if slices.Contains(m.Office.Kinds, kind) {
		it.State, it.Saw = contracts.ConnectConnected, "The crew uses a model."
	}
	return []agents.Item{{Order: 20, ConnectItem: it}}
}

// endpoints returns the endpoints on this machine that list at least one model. The endpoint that
// OPENAI_BASE_URL names comes first.
func endpoints(ctx context.Context, named string, m *agents.Machine) []localModel {
	list := slices.Clone(localEndpoints)
	if named != "" && onLoopback(named) {
		list = slices.DeleteFunc(list, func(e localModel) bool { return e.address == strings.TrimRight(named, "/") })
		list = slices.Insert(list, 0, localModel{name: "OPENAI_BASE_URL", address: named, key: m.Getenv("OPENAI_API_KEY")})
	}
	var asking sync.WaitGroup
	for i := range list {
		if isOwn(list[i].address, m.Office.URL) {
			continue
		}
		asking.Go(func() { list[i].models = askModels(ctx, list[i]) })
	}
	asking.Wait()
	return slices.DeleteFunc(list, func(e localModel) bool { return len(e.models) == 0 })
}

// askModels returns an endpoint's models, or nil if the endpoint does not answer in time.
func askModels(ctx context.Context, e localModel) []string {
	ctx, cancel := context.WithTimeout(ctx, contracts.ConnectProbe)
	defer cancel()
	client := &http.Client{
		Transport:     &http.Transport{DialContext: loopbackDialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	names, err := Models(ctx, client, e.address, e.key)
	if err != nil {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return contracts.Blank(contracts.CleanLine(name)) })
	for i, name := range names {
		names[i] = contracts.Clip(contracts.CleanLine(name), contracts.LimitName)
	}
	return names[:min(len(names), contracts.LimitConnectModels)]
}

func foundModels(found []localModel) string {
	var list []string
	for _, e := range found {
		list = append(list, fmt.Sprintf("%s (%s) serves %s", e.name, agents.WithoutSecrets(e.address), strings.Join(e.models, ", ")))
	}
	return strings.Join(list, "; ") + "."
}

// loopbackDialer connects only to this machine, even if a host name resolves to another address.
var loopbackDialer = net.Dialer{Timeout: contracts.ConnectProbe, KeepAlive: -time.Second, Control: func(_, address string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().Unmap().IsLoopback() {
		return errors.New("not a loopback address")
	}
	return nil
}}

// onLoopback reports whether an address names this machine.
func onLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// isOwn reports whether an address on this machine is the office's own, by comparing the ports.
func isOwn(address, office string) bool {
	a, errA := url.Parse(address)
	b, errB := url.Parse(office)
	return errA == nil && errB == nil && office != "" && a.Port() == b.Port()
}
