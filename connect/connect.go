// Package connect lists the agents and models on this machine that can be connected to the office,
// with the command that connects each. Each vendor's adapter returns the items for that vendor's
// agents and models; this package queries the adapters in parallel, adds an item for scripts, and
// sorts and caches the items.
//
// It guarantees that a search has a time limit, that network traffic goes to loopback addresses
// only, that a report contains no secret, and that programs are run only with --version. Only
// Install changes anything, and it makes only the changes that the item's plan lists.
package connect

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
)

// Config configures a Finder. Every field except Vendors has a default; without Vendors, the Finder
// finds no agents or models.
type Config struct {
	Vendors []agents.Adapter      // vendors without Find have nothing to connect
	Program string                // path of the bullpen program in the commands that the report shows; default: "bullpen"
	DataDir string                // the office's data directory; empty means the default
	Dirs    map[string]string     // configured settings directories, by source
	Office  func() agents.Running // default: no office is running

	Outposts func() []contracts.OutpostHealth // machines that have joined the office; default: no machines

	Getenv func(string) string // default: os.Getenv
	Home   string              // default: os.UserHomeDir
	Now    func() time.Time    // default: time.Now
}

// Finder looks for agents and caches the result briefly. Create it with New.
type Finder struct {
	cfg Config

	mu    sync.Mutex
	seen  []agents.Item
	crew  string
	until time.Time

	asking   sync.Mutex
	versions map[string]version // by path
}

type version struct {
	modified time.Time
	text     string
}

// New returns a finder; empty fields of cfg are set to their defaults.
func New(cfg Config) *Finder {
	cfg.Program = cmp.Or(cfg.Program, "bullpen")
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir() // if there is no home directory, it is not searched
	}
	if cfg.Office == nil {
		cfg.Office = func() agents.Running { return agents.Running{} }
	}
	if cfg.Outposts == nil {
		cfg.Outposts = func() []contracts.OutpostHealth { return nil }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Finder{cfg: cfg, versions: map[string]version{}}
}

// Look returns the outposts, and the agents and models on this machine that can be connected. The
// result may be up to ConnectCache old.
func (f *Finder) Look(ctx context.Context) contracts.ConnectReport {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.report(f.look(ctx))
}

func (f *Finder) look(ctx context.Context) []agents.Item {
	if f.cfg.Now().Before(f.until) {
		return f.seen
	}
	m := &agents.Machine{
		Program: f.cfg.Program, DataDir: f.cfg.DataDir, Home: f.cfg.Home, Getenv: f.cfg.Getenv, Dirs: f.cfg.Dirs,
		Office: f.cfg.Office(), Version: f.version,
	}
	found := make([][]agents.Item, len(f.cfg.Vendors))
	var looking sync.WaitGroup
	for i, v := range f.cfg.Vendors {
		if v.Find != nil {
			looking.Go(func() { found[i] = v.Find(ctx, m) })
		}
	}
	looking.Wait()
	items := append(slices.Concat(found...), script(m))
	slices.SortStableFunc(items, func(a, b agents.Item) int { // desks before guests
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Order, b.Order))
	})
	f.crew = m.Office.Crew
	if ctx.Err() == nil { // an interrupted search is incomplete
		f.seen, f.until = items, f.cfg.Now().Add(contracts.ConnectCache)
	}
	return items
}

func (f *Finder) report(items []agents.Item) contracts.ConnectReport {
	r := contracts.ConnectReport{Crew: f.crew, Outposts: f.cfg.Outposts()}
	for _, it := range items {
		r.Items = append(r.Items, it.ConnectItem)
	}
	return r
}

// version returns the version of a program, cached until the program changes.
func (f *Finder) version(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	f.asking.Lock()
	known, ok := f.versions[path]
	f.asking.Unlock()
	if ok && known.modified.Equal(info.ModTime()) {
		return known.text, nil
	}
	text, err := agents.AskVersion(ctx, path)
	if err == nil {
		f.asking.Lock()
		f.versions[path] = version{info.ModTime(), text}
		f.asking.Unlock()
	}
	return text, err
}

// ErrNothingToDo means that the office cannot connect an item itself.
var ErrNothingToDo = errors.New("the office cannot connect this item itself: run the command in a terminal")

// Install executes the plan of an item and returns the new report. It returns ErrNothingToDo if the
// item is unknown or has no plan, and an *agents.ConflictError if a person must fix a file first.
func (f *Finder) Install(ctx context.Context, id string) (contracts.ConnectReport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := f.look(ctx)
	i := slices.IndexFunc(items, func(it agents.Item) bool { return it.ID == id })
	if i < 0 || items[i].Plan == nil || items[i].Install == nil {
		return f.report(items), ErrNothingToDo
	}
	err := items[i].Install(ctx)
	f.until = time.Time{} // search again
	if err != nil {
		return f.report(items), err
	}
	return f.report(f.look(ctx)), nil
}

// script returns the item for scripts and other programs that have no vendor.
func script(m *agents.Machine) agents.Item {
	return agents.Item{Order: 90, ConnectItem: contracts.ConnectItem{ID: "script", Group: contracts.ConnectGuests, Name: "A script or a build", State: contracts.ConnectReady,
		Saw: "Any command can be shown while it runs.", Does: "The command appears as a guest, with its output and exit code.",
		Command: m.Command("exec", "-- make test")}}
}
