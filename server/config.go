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

// The crews that need neither a model nor an agent program.
const (
	CrewRehearsal = "rehearsal"
	CrewNone      = "none" // no crew; for reading a ledger
)

// Config configures a server. The zero value is an in-memory office with the rehearsal crew, open
// to callers on loopback.
type Config struct {
	DataDir   string         // for the ledger and credentials; empty keeps both in memory
	Ephemeral bool           // keep the ledger in memory even if DataDir is set
	Cluster   *ClusterConfig // the shared ledger of an office with several nodes; nil keeps the ledger in DataDir
	LockDir   string         // directory for the locks on data directories; default: a directory in the user's cache directory
	Folder    string         // the folder that the rehearsal crew reports on; default the working directory
	Scene     *scene.Scene
	Crew      string // runner for agents that do not name one; default Staff.Default
	Staff     staff.Staff
	Repos     []contracts.Repo // repositories that are added at startup
	Pace      float64          // default 1
	Studios   bool             // open a studio for each place that guests work in
	Unchecked bool             // add an inbox entry when a session ends without a passing check of its last code edit

	Addr         net.Addr // address that Serve will listen on, if it is known in advance
	TokenFile    string   // default <DataDir>/token
	RequireToken bool
	Hosts        []string
	PublicURL    *url.URL
	Proxies      []netip.Prefix
	TLS          bool // the listener uses TLS

	Adapters []agents.Adapter          // default all.Adapters
	Options  map[string]agents.Options // by source

	Workspaces   []string // directories where agents may be told to work; empty allows none
	KeepThinking bool     // store the text of agents' thinking, not only the fact that they are thinking

	Connect connect.Config // where to look for agents on this machine

	Traces *TracesConfig // where to export activity; nil exports nothing

	SnapshotHz   float64
	ReplayOff    bool          // returning viewers get a snapshot instead of the records they missed
	KeepActivity time.Duration // age at which activity records are removed; 0 means no maximum age
	Upkeep       time.Duration // how often retention runs; default contracts.UpkeepInterval
	Version      string
	Log          *slog.Logger        // default silent
	Now          func() time.Time    // default time.Now
	Getenv       func(string) string // reads keys from the environment; default os.Getenv
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
		c.Staff.Kinds = agents.RunnerSpecs(c.Adapters)
	}
	if c.Folder == "" {
		c.Folder, _ = os.Getwd() // without a folder, the crew has nothing to report on
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

// people returns the agents that join at startup; none with CrewNone, because without a crew their
// first meeting would never end.
func (c Config) people() []contracts.AgentProfile {
	return c.Staff.People(agents.People(c.Adapters))
}

// LedgerPath returns the path of a data directory's ledger.
func LedgerPath(dataDir string) string { return filepath.Join(dataDir, "ledger.db") }

// userLockDir returns the directory for the locks of this user's offices, or "" if the user has no
// cache directory.
func userLockDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "bullpen", "locks")
}

// durable reports whether the office's state outlives the process.
func (c Config) durable() bool { return !c.Ephemeral && c.DataDir != "" }

func (c Config) ledgerPath() string {
	if !c.durable() {
		return ""
	}
	return LedgerPath(c.DataDir)
}

// node returns the name of this process among the processes that share the ledger.
func (c Config) node() string {
	if c.Cluster != nil {
		return c.Cluster.Node
	}
	return "local"
}
