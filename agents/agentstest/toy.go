// Package agentstest provides a toy vendor for tests. Toy agents post reports to their own endpoint
// and can be stopped. The vendor also has a driver, settings, hooks and checks.
package agentstest

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
)

// Source is the source name of toy agents.
const Source = "toy"

// Toy returns the adapter of the toy vendor. Installing its hooks writes a file in dir.
func Toy(dir string) agents.Adapter {
	return agents.Adapter{
		Source: contracts.Source{Source: Source, Label: "Toy", Color: "#336699", Controls: []contracts.CommandName{contracts.CmdStopAgent}},
		Runner: &staff.Spec{Kind: Source, Fields: []string{"model"}, Priced: func(staff.Runner) bool { return true }},
		Drive: func(d agents.DriveConfig) agents.NewDriver {
			return func(_ string, r staff.Runner) (drive.Driver, error) {
				return driver{greeting: d.Options.Get("greeting"), model: r.Model}, nil
			}
		},
		Settings: &agents.Settings{
			Flags: []agents.Flag{{Name: "toy-greeting", Default: "Hello", Usage: "how toys greet"}},
			Resolve: func(set agents.Options, _ func(string) string) (agents.Options, error) {
				return Greeting(set.Get("toy-greeting")), nil
			},
		},
		Watch: func(w agents.WatchConfig) (agents.Watcher, error) {
			return &watcher{WatchConfig: w, stopped: map[string]bool{}}, nil
		},
		Check: func(_ context.Context, c agents.CheckConfig) []agents.Finding {
			return []agents.Finding{agents.OK("runner", "%s: the toy is wound up", c.Name)}
		},
		Hooks: hooks{filepath.Join(dir, "toy")},
		Find: func(_ context.Context, m *agents.Machine) []agents.Item {
			return []agents.Item{{Order: 50, ConnectItem: contracts.ConnectItem{
				ID: Source, Group: contracts.ConnectGuests, Name: "A toy", State: contracts.ConnectReady, Command: m.Command("hooks install toy", ""),
			}}}
		},
	}
}

// Greeting returns the toy vendor's options with word as the greeting.
func Greeting(word string) agents.Options { return agents.Options{"greeting": {word}} }

// driver answers with its greeting, followed by the prompt.
type driver struct{ greeting, model string }

func (d driver) Open(context.Context, drive.Spec) (drive.Session, error) { return session{d}, nil }

type session struct{ driver }

func (s session) Turn(_ context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	text := s.greeting + ", " + p.Text
	sink.Delta("token", text)
	return drive.Answer{Text: text}, nil
}

func (s session) ID() string   { return "" }
func (s session) Close() error { return nil }

// Report is the body of POST /hooks/toy.
type Report struct {
	Name string `json:"name"`
	Turn string `json:"turn"`
	Over bool   `json:"over,omitzero"` // the turn has ended
	Dir  string `json:"dir,omitzero"`
}

// AgentID returns the agent id of the toy with this name.
func AgentID(name string) string { return contracts.AgentIDOf(Source + "_" + name) }

// watcher handles reports and remembers which agents were told to stop.
type watcher struct {
	agents.WatchConfig
	mu      sync.Mutex
	stopped map[string]bool
}

func (w *watcher) Run(ctx context.Context) error {
	err := w.Office.Orders(ctx, Source, func(h contracts.HUD) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stopped[h.AgentID] = true
		return nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *watcher) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{"POST /hooks/toy": w.serve}
}

func (w *watcher) Workdir(string) string { return "" }

// Links returns one link; its People is the number of toys that were told to stop.
func (w *watcher) Links() []agents.Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []agents.Link{{URL: "toy:", Connected: true, People: len(w.stopped)}}
}

func (w *watcher) Close() {}

func (w *watcher) serve(rw http.ResponseWriter, r *http.Request) {
	var report Report
	if err := json.UnmarshalRead(http.MaxBytesReader(rw, r.Body, contracts.LimitHookBody), &report); err != nil || report.Name == "" {
		gate.Refuse(rw, http.StatusBadRequest, contracts.CodeValidationFailed, "not a toy report")
		return
	}
	id := AgentID(report.Name)
	from := hud.Source{AgentID: id, Session: Source + ":" + report.Name, Origin: contracts.OriginOutside}
	err := w.Roster.Join(r.Context(), contracts.AgentProfile{AgentID: id, Name: report.Name, Source: Source, Session: from.Session, Place: report.Dir}, intake.Proof{Seen: true})
	if err != nil {
		gate.Refuse(rw, http.StatusConflict, contracts.CodeConflict, "%v", err)
		return
	}
	once := func(what string) string { // a repeated report is recorded once
		return uuid.NewSHA1(uuid.NameSpaceURL, []byte(from.Session+"/"+report.Turn+"/"+what)).String()
	}
	span := hud.Span{Correlation: report.Turn}
	h, claim := hud.TurnStart(from, once("start"), span, "Playing"), status.TurnStarted
	if report.Over {
		h, claim = hud.TurnEnd(from, once("end"), span, 0, ""), status.TurnEnded
	}
	if reply := w.Office.Tell(r.Context(), contracts.HUDSeen{HUD: h, Once: true, Watch: Source})[0]; reply.Refusal != nil {
		gate.Answer(rw, http.StatusConflict, reply.Refusal)
		return
	}
	w.Roster.AddEvidence(r.Context(), id, status.Evidence{Source: contracts.FromHook, Claim: claim, Says: "playing", Line: "Playing"})
	rw.WriteHeader(http.StatusOK)
}

// hooks writes one word to a file instead of installing real hooks.
type hooks struct{ path string }

func (hooks) Found() bool { return true }

func (hooks) Help() string { return "Toy (toy): writes one word." }

func (h hooks) Install(context.Context, agents.HookConfig) (agents.HookReport, error) {
	return agents.HookReport{Lines: []string{"installed the toy"}}, os.WriteFile(h.path, []byte("installed"), 0o600)
}

func (h hooks) Remove(context.Context, agents.HookConfig) (agents.HookReport, error) {
	return agents.HookReport{Lines: []string{"removed the toy"}}, os.Remove(h.path)
}

func (h hooks) Status(_ context.Context, with agents.HookConfig) (agents.HookReport, error) {
	return agents.HookReport{Lines: []string{"toy " + with.Program}, Version: "1.0", JSON: h.Summary("")}, nil
}

func (h hooks) Summary(string) agents.HookSummary {
	_, err := os.Stat(h.path)
	return agents.HookSummary{Path: h.path, Installed: err == nil, Events: 1}
}
