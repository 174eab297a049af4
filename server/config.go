package server

import (
	"cmp"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/world/scene"
)

// The crews that a server can run.
const (
	CrewRehearsal = "rehearsal"
	CrewNone      = "none" // nobody comes in; to look at a ledger
)

// Config says what to serve. The zero value is an office in memory with the
// rehearsal crew behind an open loopback door.
type Config struct {
	DataDir   string // holds ledger and credentials; empty keeps both in memory
	Ephemeral bool   // keep the ledger in memory although there is a DataDir
	LockDir   string // where offices lock their data directories, outside of them; default in the user's cache directory
	Folder    string // the office was started in, which the rehearsal crew reports on; default the working directory
	Scene     *scene.Scene
	Crew      string // runner of who names none; default the staff's
	Staff     staff.Staff
	Pace      float64 // default 1

	Addr         net.Addr // of the listener that Serve will get; default: asked then
	TokenFile    string   // default <DataDir>/token
	RequireToken bool
	Hosts        []string
	PublicURL    *url.URL
	Proxies      []netip.Prefix
	TLS          bool // the listener speaks TLS

	Adapters []agents.Adapter          // the vendors; default all.Adapters
	Options  map[string]agents.Options // of vendors, by source

	Workspaces   []string // directories in which agents may be told to work; empty allows none
	KeepThinking bool     // store what agents think, not only that they do

	Connect connect.Config // where agents on this machine are looked for

	Traces *TracesConfig // where activity is exported to; nil exports nothing

	SnapshotHz   float64
	ReplayOff    bool          // returning viewers get a snapshot instead of the records they missed
	KeepActivity time.Duration // age at which activity records go; 0 keeps them
	Upkeep       time.Duration // how often retention runs; default contracts.UpkeepInterval
	Version      string
	Log          *slog.Logger        // default silent
	Now          func() time.Time    // default time.Now
	Getenv       func(string) string // for keys; default os.Getenv
}

func (c Config) withDefaults() Config {
	c.Staff.Default = cmp.Or(c.Crew, c.Staff.Default, CrewRehearsal)
	c.Crew = c.Staff.Default
	c.Pace = cmp.Or(c.Pace, 1)
	c.Version = cmp.Or(c.Version, "dev")
	c.Upkeep = cmp.Or(c.Upkeep, contracts.UpkeepInterval)
	c.LockDir = cmp.Or(c.LockDir, userLockDir())
	if c.Adapters == nil {
		c.Adapters = all.Adapters
	}
	if c.Staff.Kinds == nil {
		c.Staff.Kinds = agents.Kinds(c.Adapters)
	}
	if c.Folder == "" {
		c.Folder, _ = os.Getwd() // without one the crew has nothing to look at
	}
	if c.Scene == nil {
		c.Scene = scene.Default()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if len(c.Workspaces) == 0 {
		c.Workspaces = c.Staff.Bridge.Roots
	}
	return c
}

// people are who comes in at the start. Somebody without a crew would sit in the
// first meeting for ever.
func (c Config) people() []contracts.AgentProfile {
	return c.Staff.People(agents.People(c.Adapters))
}

// LedgerPath is where the ledger of a data directory lies.
func LedgerPath(dataDir string) string { return filepath.Join(dataDir, "ledger.db") }

// userLockDir is the lock directory of this user's offices; empty if the user has no
// cache directory.
func userLockDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "bullpen", "locks")
}

func (c Config) ledgerPath() string {
	if c.Ephemeral || c.DataDir == "" {
		return ""
	}
	return LedgerPath(c.DataDir)
}

// node names this process; there is one per ledger.
const node = "local"
