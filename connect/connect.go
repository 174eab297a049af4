// Package connect finds the agents and models on this machine that could work in the
// office or be watched by it, and knows the one command that connects each.
//
// It guarantees: a look is bounded in time, its parts run in parallel, network traffic
// goes to loopback addresses only, and a report holds no secret. It starts no program
// but `claude --version`. Only Install changes anything, and only what Plan announced.
package connect

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// Office is what a look needs to know of the running office. The zero value means
// that none runs.
type Office struct {
	URL      string         // for programs on this machine
	Crew     string         // the runner of people who name none
	Kinds    []string       // of the runners in use: rehearsal, openai, claude …
	Guests   map[string]int // how many are here, by source
	Gateways []Gateway      // of OpenClaw, that it was told to follow
}

// Gateway is one of OpenClaw that the office follows.
type Gateway struct {
	URL       string
	Connected bool
	Problem   string // why it is not connected
	Do        string // what to do about it
}

// Config says where to look. The zero value looks at this machine, without an office.
type Config struct {
	Program  string              // bullpen itself, for commands that others run; default "bullpen"
	DataDir  string              // of the office, where it is not the default one
	Settings string              // Claude Code's settings file; default SettingsPath
	Office   func() Office       // default: none runs
	Getenv   func(string) string // default os.Getenv
	Home     string              // default os.UserHomeDir
	Now      func() time.Time    // default time.Now
}

// Finder looks, and remembers what it saw for a moment. Make it with New.
type Finder struct {
	cfg Config

	mu     sync.Mutex
	seen   contracts.ConnectReport
	until  time.Time
	claude claudeProgram // as it was found last
}

// New makes a finder.
func New(cfg Config) *Finder {
	if cfg.Program == "" {
		cfg.Program = "bullpen"
	}
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir() // without one, nothing is found in it
	}
	if cfg.Settings == "" {
		cfg.Settings = SettingsPath(cfg.Getenv, cfg.Home)
	}
	if cfg.Office == nil {
		cfg.Office = func() Office { return Office{} }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Finder{cfg: cfg}
}

// Look returns what is on this machine now, at most ConnectCache old.
func (f *Finder) Look(ctx context.Context) contracts.ConnectReport {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cfg.Now().Before(f.until) {
		return f.seen
	}
	office := f.cfg.Office()
	var here claudeProgram
	var gateway, model contracts.ConnectItem
	var looking sync.WaitGroup
	looking.Go(func() { here = f.findClaude(ctx) })
	looking.Go(func() { gateway = f.gateway(ctx, office) })
	looking.Go(func() { model = f.model(ctx, office) })
	looking.Wait()
	f.claude = here
	report := contracts.ConnectReport{Crew: office.Crew, Items: []contracts.ConnectItem{
		f.claudeCrew(here, office), model, f.sessions(here, office), gateway, f.channel(), f.script(),
	}}
	if ctx.Err() == nil { // a look that was broken off says nothing
		f.seen, f.until = report, f.cfg.Now().Add(contracts.ConnectCache)
	}
	return report
}

// forget makes the next Look look again.
func (f *Finder) forget() { f.until = time.Time{} }

func (f *Finder) script() contracts.ConnectItem {
	return contracts.ConnectItem{ID: "script", Group: contracts.ConnectGuests, Name: "A script or a build", State: contracts.ConnectReady,
		Saw: "Any command can be seen while it runs.", Does: "It appears as a guest, with its output and exit code.",
		Command: f.bullpen("exec", "-- make test")}
}

func (f *Finder) channel() contracts.ConnectItem {
	return contracts.ConnectItem{ID: "mcp", Group: contracts.ConnectGuests, Name: "A Claude Code session you can talk to", State: contracts.ConnectReady,
		Saw:     "A session with this MCP server answers messages from here.",
		Does:    "Replace TOKEN with the token from `" + f.bullpen("token create", "--role agent") + "`.",
		Command: "claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- " + f.bullpen("channel", "--session dev::desk")}
}

// bullpen is a command line of this program for the office of this data directory.
func (f *Finder) bullpen(verb, rest string) string {
	line := "bullpen " + verb
	if f.cfg.DataDir != "" {
		line += " --data " + word(f.cfg.DataDir)
	}
	return strings.TrimSpace(line + " " + rest)
}

// short shows a path under the home directory as people write it.
func (f *Finder) short(path string) string {
	if rest, ok := strings.CutPrefix(path, f.cfg.Home+string(filepath.Separator)); ok && f.cfg.Home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// word quotes a text for a shell where that is needed.
func word(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@+=,~", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// withoutSecrets is an address without user, password, query and fragment.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
