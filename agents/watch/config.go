package watch

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

// Config configures a Watcher. Vendor, Office and Roster are required.
type Config struct {
	guest.Vendor
	Office agents.Office
	Roster agents.Roster

	// Ignore reports whether the office itself runs and shows a session; nil means never.
	Ignore func(session string) bool
	// WorkdirOf returns the working directory of one of the vendor's processes, and "" for any other
	// process; nil means ProcessWorkdir.
	WorkdirOf func(pid int, started int64) string
	// Price estimates the cost of usage that was reported without a cost; see guest.Config. nil means
	// that the price is unknown.
	Price func(contracts.Usage, int64) (float64, bool)

	Principal func(*http.Request) contracts.Principal // nil means that no caller is bound to an agent
	Alive     func(pid int, started int64) bool       // nil means intake.ProcessAlive

	Dir          string // the vendor's directory; if empty, no files are read
	Home         string // home directory, shown as ~
	Spool        string // data directory with spooled hooks; if empty, no spooled hooks are read
	KeepThinking bool   // store the thinking text
	Backlog      int64  // maximum bytes of hooks waiting to be recorded; default contracts.LimitHookBacklog

	NewUUID func() string         // nil means random
	Now     func() time.Time      // nil means time.Now
	Log     *slog.Logger          // nil means no logging
	Metrics prometheus.Registerer // nil means no metrics
}

// Adapt returns the Watch function for an adapter whose sessions report through hooks and files.
// Each watcher gets its own vendor. Only a durable office reads spooled hooks; any other office
// leaves them in the spool.
func Adapt(vendor func() guest.Vendor) func(agents.WatchConfig) (agents.Watcher, error) {
	return func(w agents.WatchConfig) (agents.Watcher, error) {
		spool := w.DataDir
		if !w.Durable {
			spool = ""
		}
		return New(context.Background(), Config{
			Vendor: vendor(), Office: w.Office, Roster: w.Roster, Ignore: w.Ours, Principal: w.Principal, Dir: w.Options.Get(agents.OptionDir), Home: w.Home, Spool: spool,
			KeepThinking: w.KeepThinking, Price: w.Price, Now: w.Now, Log: w.Log, Metrics: w.Metrics,
		})
	}
}

func (c Config) withDefaults() Config {
	if c.WorkdirOf == nil {
		c.WorkdirOf = func(pid int, started int64) string { return ProcessWorkdir(c.Vendor, pid, started) }
	}
	if c.Ignore == nil {
		c.Ignore = func(string) bool { return false }
	}
	if c.Principal == nil {
		c.Principal = func(*http.Request) contracts.Principal { return contracts.Principal{} }
	}
	if c.Alive == nil {
		c.Alive = intake.ProcessAlive
	}
	c.AskWait = cmp.Or(c.AskWait, contracts.PermissionWait)
	c.Backlog = cmp.Or(c.Backlog, contracts.LimitHookBacklog)
	if c.NewUUID == nil {
		c.NewUUID = uuid.NewString
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler)).With("source", c.Source)
	return c
}
