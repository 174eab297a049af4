package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/agents/openai"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/staff"
)

// examineStaff looks at every runner that is configured or used. Nothing is sent
// anywhere unless probe says so: a question may be counted or even cost something.
func examineStaff(ctx context.Context, s *settings, probe bool) []finding {
	names := slices.Sorted(maps.Keys(s.staff.Runners))
	for _, name := range append(s.staff.Used(), s.staff.Bridge.Runner) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var found []finding
	for _, name := range names {
		r, _ := s.staff.Runner(name)
		switch r.Kind {
		case staff.OpenAI:
			found = append(found, examineModel(ctx, name, r, probe)...)
		case staff.Claude:
			found = append(found, examineProgram(s, name, r, "claude", "install Claude Code"))
		case staff.OpenClaw:
			found = append(found, examineGateway(name, r))
		case staff.Peer:
			found = append(found, examinePeer(s, name, r))
		}
	}
	for _, p := range s.staff.Unenforced() {
		found = append(found, wrong("budget", "name the price, or set a budget in tokens", "%v", s.placed(p)))
	}
	for _, p := range s.broadRoots() {
		found = append(found, wrong("roots", "name the directories of the work in bridge.roots", "%v", s.placed(p)))
	}
	return found
}

// examineModel looks for what a runner on a model needs.
func examineModel(ctx context.Context, name string, r staff.Runner, probe bool) []finding {
	address, from := r.Endpoint(os.Getenv)
	if r.Model == "" {
		return []finding{wrong("runner", "name it in runners."+name+".model, or with --model or BULLPEN_MODEL", "%s: no model is named", name)}
	}
	if err := staff.CheckAddress(address, "http", "https"); err != nil {
		return []finding{wrong("runner", "correct it", "%s: the endpoint of %s cannot be used: %v", name, from, err)}
	}
	key, place, err := r.Key(os.Getenv, gate.ReadFile)
	said := fmt.Sprintf("%s: %s at %s (%s)", name, r.Model, address, from)
	switch {
	case errors.Is(err, staff.ErrNoKey) && !loopback(address):
		return []finding{wrong("runner", "name a variable or file with the key: runners."+name+".api_key_env or api_key_file", "%s, but no key for it", said)}
	case errors.Is(err, staff.ErrNoKey):
		said += ", without a key"
	case err != nil:
		return []finding{wrong("runner", "mend it, then run the doctor again", "%s: %v", said, err)}
	default:
		said += ", key from " + place
	}
	found := []finding{fine("runner", "%s", said)}
	if f, bad := openFile(name, r.APIKeyFile); bad {
		found = append(found, f)
	}
	if probe {
		found = append(found, probeModel(ctx, name, r.Model, address, key))
	}
	return found
}

func loopback(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// openFile complains about a secret that others can read.
func openFile(name, path string) (finding, bool) {
	info, err := os.Stat(path)
	if path == "" || err != nil || info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return finding{}, false
	}
	return wrong("runner", "run `chmod 600 "+path+"`", "%s: %s is open to other users (mode %04o)", name, path, info.Mode().Perm()), true
}

// probeModel asks the endpoint which models it has.
func probeModel(ctx context.Context, name, model, address, key string) finding {
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer client.CloseIdleConnections()
	names, err := openai.Models(ctx, client, address, key)
	switch {
	case err != nil:
		return wrong("probe", "start the endpoint, or correct base_url and key", "%s: %v", name, err)
	case !slices.Contains(names, model):
		slices.Sort(names)
		return wrong("probe", "use one that it lists", "%s: %s answers but lists no %s, only %s", name, address, model, strings.Join(names[:min(len(names), 8)], ", "))
	}
	return fine("probe", "%s: %s answers and lists %s", name, address, model)
}

func examineProgram(s *settings, name string, r staff.Runner, command, do string) finding {
	if r.Command != "" {
		command = r.Command
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return wrong("runner", do+", or name its path in runners."+name+".command", "%s: %s is not installed or not in PATH", name, command)
	}
	said := fmt.Sprintf("%s: %s at %s", name, r.Kind, path)
	if _, held := server.Inherited(s.staff, r, os.Environ()); len(held) > 0 {
		const most = 8
		said += fmt.Sprintf("; it does not get %s", strings.Join(held[:min(len(held), most)], ", "))
		if more := len(held) - most; more > 0 {
			said += fmt.Sprintf(" and %d more", more)
		}
		said += " (runners." + name + ".env gives what is named there)"
	}
	return fine("runner", "%s", said)
}

func examineGateway(name string, r staff.Runner) finding {
	_, place, err := r.Token(os.Getenv, gate.ReadFile)
	switch {
	case errors.Is(err, staff.ErrNoKey):
		return fine("runner", "%s: openclaw, with what is stored for this device", name)
	case err != nil:
		return wrong("runner", "mend it, then run the doctor again", "%s: %v", name, err)
	}
	return fine("runner", "%s: openclaw, token from %s", name, place)
}

func examinePeer(s *settings, name string, r staff.Runner) finding {
	if r.Command == "" {
		return fine("runner", "%s: waits for a program that dials /bridge", name)
	}
	return examineProgram(s, name, r, r.Command, "install it")
}
