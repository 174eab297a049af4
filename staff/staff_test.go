package staff

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

var builtIn = []contracts.AgentProfile{
	{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD, Runner: "rehearsal", Home: "poi_director_desk"},
	{AgentID: "agent_writer_1", Name: "Cleo", Role: contracts.RoleWriter, Runner: "rehearsal"},
}

var setting = Setting{BuiltIn: builtIn, Place: func(id string) bool { return strings.HasPrefix(id, "poi_") }}

func TestZeroValueIsTheRehearsalCrew(t *testing.T) {
	var s Staff
	if err := s.Check(setting); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(builtIn, s.People(builtIn)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"rehearsal"}, s.Used()); diff != "" {
		t.Error(diff)
	}
	if none := (Staff{Default: None}); none.People(builtIn) != nil || none.Used() != nil || none.Check(setting) != nil {
		t.Error("with crew none somebody works")
	}
}

func TestPeopleAreExtendedAndChanged(t *testing.T) {
	s := Staff{Default: "openai", Model: "model-a", Agents: []Agent{
		{ID: "agent_writer_1", Name: "Clea", Runner: "claude", Workspace: "/work"},
		{ID: "agent_eng_3", Name: "Ivo", Role: contracts.RoleEngineer, Home: "poi_lounge"},
	}}
	if err := s.Check(setting); err != nil {
		t.Fatal(err)
	}
	want := []contracts.AgentProfile{
		{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD, Runner: "openai", Home: "poi_director_desk", Model: "model-a"},
		{AgentID: "agent_writer_1", Name: "Clea", Role: contracts.RoleWriter, Runner: "claude", Model: "model-a"},
		{AgentID: "agent_eng_3", Name: "Ivo", Role: contracts.RoleEngineer, Runner: "openai", Home: "poi_lounge", Model: "model-a"},
	}
	if diff := cmp.Diff(want, s.People(builtIn)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"claude", "openai"}, s.Used()); diff != "" {
		t.Error(diff)
	}
	if s.Workspace("agent_writer_1") != "/work" || s.Workspace("agent_bd") != "" {
		t.Error("workspaces are mixed up")
	}
}

// Every problem is found at once, each with its path.
func TestProblemsNameTheirPath(t *testing.T) {
	bad, negative, many := -0.5, -1.0, 99
	s := Staff{
		Default: "fst",
		Agents: []Agent{
			{ID: "writer"}, {ID: "agent_new"}, {ID: "agent_bd", Role: contracts.RoleWriter}, {ID: "agent_bd"},
			{ID: "agent_writer_1", Role: "poet", Runner: "none", Home: "kitchen", Workspace: "here", Name: "two\nlines"},
			{ID: "agent_x", Name: "X", Role: contracts.RoleBD, Runner: "gone"},
		},
		Runners: map[string]Runner{
			"Bad Name": {Kind: OpenAI}, "none": {Kind: OpenAI}, "odd": {Kind: "telepathy"}, "claude": {Kind: OpenAI},
			"fast": {Kind: OpenAI, Model: "m", BaseURL: "https://user:pw@host/v1", APIKeyEnv: "sk-abc", APIKeyFile: "key", Format: "xml", MaxTokens: -1, Temperature: &negative,
				Stall: time.Hour, Retries: &many, Prices: map[string]Price{"m": {In: 1, Cache: &bad}}, Command: "claude"},
			"gw":   {Kind: OpenClaw, URL: "ftp://x", Model: "m"},
			"peer": {Kind: Peer, Args: []string{"-v"}, Workspace: "there", Env: []string{"OPENAI_*", "ghp_abc=1", "BULLPEN_TOKEN", "*"}},
		},
		Budgets: Budgets{Task: Budget{USD: -1}, Day: Budget{Tokens: -1}},
		Bridge:  Bridge{Roots: []string{"rel"}, Heartbeat: time.Minute, Idle: -1, Spawn: []string{" "}},
	}
	var got []string
	for _, p := range s.Validate(setting) {
		got = append(got, p.Path)
		if strings.Contains(p.Text, "sk-abc") || strings.Contains(p.Text, "pw@") {
			t.Errorf("%s repeats a secret: %s", p.Path, p.Text)
		}
	}
	want := []string{
		"crew", "agents.0.id", "agents.1.name", "agents.1.role", "agents.2.role", "agents.3.id",
		"agents.4.name", "agents.4.role", "agents.4.runner", "agents.4.workspace", "agents.4.home", "agents.5.role", "agents.5.runner",
		"runners.Bad Name", "runners.claude.kind", "runners.fast.command", "runners.fast.base_url", "runners.fast.api_key_file", "runners.fast.api_key_env", "runners.fast.api_key_file",
		"runners.fast.format", "runners.fast.max_tokens", "runners.fast.temperature", "runners.fast.stall", "runners.fast.retries", "runners.fast.prices.m",
		"runners.gw.model", "runners.gw.url", "runners.none", "runners.odd.kind", "runners.peer.command", "runners.peer.workspace",
		"runners.peer.env", "runners.peer.env.1", "runners.peer.env.2", "runners.peer.env.3",
		"budgets.task.usd", "budgets.day.tokens", "bridge.roots.0", "bridge.heartbeat", "bridge.idle", "bridge.spawn",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Agents that are neither on the staff nor connected are started by one program.
func TestSpawnedRunner(t *testing.T) {
	runners := map[string]Runner{"fast": {Kind: OpenAI, Model: "m"}, "dials": {Kind: Peer}, "helper": {Kind: Peer, Command: "helper"}}
	for want, b := range map[string]Bridge{
		"":                                  {Runner: "claude"},
		"bridge.runner: there is no runner": {Runner: "cloud"},
		"bridge.runner: the office cannot start a process for runner fast":  {Runner: "fast"},
		"bridge.runner: the office cannot start a process for runner dials": {Runner: "dials"},
		"bridge.runner: set it or bridge.spawn":                             {Runner: "helper", Spawn: []string{"other"}},
		"bridge.env: it applies to bridge.spawn only":                       {Runner: "helper", Env: []string{"GITHUB_TOKEN"}},
	} {
		err := Staff{Runners: runners, Bridge: b}.Check(setting)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %v", b, err)
		}
	}
	for name, want := range map[string]Runner{"": {}, "claude": {Kind: Claude}, "helper": runners["helper"]} {
		if got, ok := (Staff{Runners: runners, Bridge: Bridge{Runner: name}}).Spawned(); ok != (name != "") || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v %v", name, got, ok)
		}
	}
}

// A root that holds more than somebody's work is told; one inside of it is not.
func TestBroadRoots(t *testing.T) {
	s := Staff{Bridge: Bridge{Roots: []string{"/", "/home/dev", "/home", "/home/dev/src", "/home/developer", "/srv"}}}
	var got []string
	for _, p := range s.Broad("/home/dev") {
		got = append(got, p.Path)
	}
	if diff := cmp.Diff([]string{"bridge.roots.0", "bridge.roots.1", "bridge.roots.2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestModelIsNeeded(t *testing.T) {
	s := Staff{Default: "openai"}
	problems := s.Validate(setting)
	if len(problems) != 1 || problems[0].Path != "runners.openai.model" || !strings.Contains(problems[0].Text, "BULLPEN_MODEL") {
		t.Errorf("problems %v", problems)
	}
	if s.Model = "m"; s.Check(setting) != nil {
		t.Error("a model by flag is not enough")
	}
}

// OpenAI's key goes only to OpenAI, or to where OpenAI's own variable points.
func TestKeyGoesOnlyWhereItBelongs(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": " sk-1\n", "OTHER": "sk-2", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
	getenv := func(name string) string { return env[name] }
	files := func(name string, _ int64) ([]byte, error) {
		if name == "/good" {
			return []byte("sk-3\n"), nil
		}
		if name == "/two" {
			return []byte("a\nb\n"), nil
		}
		return nil, errors.New("no such file")
	}
	for name, tt := range map[string]struct {
		runner Runner
		key    string
		bad    bool
	}{
		"environment":     {Runner{}, "sk-1", false},
		"openai itself":   {Runner{BaseURL: "https://api.openai.com/v1"}, "sk-1", false},
		"somewhere else":  {Runner{BaseURL: "https://models.example/v1"}, "", true},
		"named variable":  {Runner{BaseURL: "https://models.example/v1", APIKeyEnv: "OTHER"}, "sk-2", false},
		"empty variable":  {Runner{APIKeyEnv: "MISSING"}, "", true},
		"file":            {Runner{APIKeyFile: "/good"}, "sk-3", false},
		"missing file":    {Runner{APIKeyFile: "/none"}, "", true},
		"file with lines": {Runner{APIKeyFile: "/two"}, "", true},
	} {
		key, from, err := tt.runner.Key(getenv, files)
		if key != tt.key || (err != nil) != tt.bad || strings.Contains(from, "sk-") {
			t.Errorf("%s: %q from %q, %v", name, key, from, err)
		}
	}
	if a, from := (Runner{}).Endpoint(getenv); a != env["OPENAI_BASE_URL"] || from != "OPENAI_BASE_URL" {
		t.Errorf("endpoint %s from %s", a, from)
	}
	if a, _ := (Runner{}).Endpoint(func(string) string { return "" }); a != "https://api.openai.com/v1" {
		t.Errorf("default endpoint %s", a)
	}
}

func TestBudgetsAndPrices(t *testing.T) {
	half := 0.5
	r := Runner{Kind: OpenAI, Model: "m", Prices: map[string]Price{"m": {In: 1, Out: 2, Cache: &half}}}
	if c := r.Cost(contracts.Usage{Model: "m-2026-01-01", TokensIn: 1e6, TokensOut: 1e6, CacheRead: 1e6}); c == nil || *c != 3.5 {
		t.Errorf("cost %v", c)
	}
	if c := (Runner{Model: "x"}).Cost(contracts.Usage{Model: "x", TokensIn: 1}); c != nil {
		t.Errorf("a price that nobody named became %v", *c)
	}
	b := Budget{USD: 1.5, Tokens: 100}
	for _, tt := range []struct {
		used contracts.UsageTotal
		want string
	}{
		{contracts.UsageTotal{TokensIn: 50, TokensOut: 49, CacheRead: 1e6, CostUSD: 1.49}, ""},
		{contracts.UsageTotal{TokensIn: 50, TokensOut: 50}, "100 tokens (100 are used)"},
		{contracts.UsageTotal{CostUSD: 1.5}, "$1.5 ($1.50 are used)"},
	} {
		if got := b.Exceeded(tt.used); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.used, got, tt.want)
		}
	}
	s := Staff{Default: "fast", Agents: []Agent{{ID: "agent_bd", Runner: "peer"}}, Runners: map[string]Runner{"fast": {Kind: OpenAI, Model: "m"}}, Budgets: Budgets{Day: Budget{USD: 1}}}
	list := s.Unenforced()
	if len(list) != 2 || list[0].Error() != "budgets.day.usd: cannot be enforced for model m: the runner fast has no price for it; add runners.fast.prices, or a budget in tokens" || !strings.Contains(list[1].Text, "peer") {
		t.Errorf("unenforced %v", list)
	}
}
