package staff_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	. "github.com/bullpen-office/bullpen/staff"
)

var kinds = agents.RunnerSpecs(all.Adapters)

var builtIn = []contracts.AgentProfile{
	{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD, Runner: "rehearsal", Home: "poi_director_desk"},
	{AgentID: "agent_writer_1", Name: "Cleo", Role: contracts.RoleWriter, Runner: "rehearsal"},
}

var input = ValidationInput{BuiltIn: builtIn, Places: []string{"poi_lounge", "poi_library", "poi_desk_1"}}

func TestZeroValueIsTheRehearsalCrew(t *testing.T) {
	s := Staff{Kinds: kinds}
	if err := s.Check(input); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(builtIn, s.People(builtIn)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"rehearsal"}, s.Used()); diff != "" {
		t.Error(diff)
	}
	if none := (Staff{Kinds: kinds, Default: None}); none.People(builtIn) != nil || none.Used() != nil || none.Check(input) != nil {
		t.Error("crew none has agents")
	}
}

func TestPeopleAreAddedAndOverridden(t *testing.T) {
	s := Staff{Kinds: kinds, Default: "openai", Model: "model-a", Agents: []Agent{
		{ID: "agent_writer_1", Name: "Clea", Runner: "claude", Workspace: "/work"},
		{ID: "agent_eng_3", Name: "Ivo", Role: contracts.RoleEngineer, Home: "poi_lounge"},
	}}
	if err := s.Check(input); err != nil {
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

// All problems are reported together, each with its path.
func TestProblemsNameTheirPath(t *testing.T) {
	bad, negative, many := -0.5, -1.0, 99
	s := Staff{
		Kinds:   kinds,
		Default: "fst",
		Agents: []Agent{
			{ID: "writer"}, {ID: "agent_new"}, {ID: "agent_bd", Role: contracts.RoleWriter}, {ID: "agent_bd"},
			{ID: "agent_writer_1", Role: "poet", Runner: "none", Home: "kitchen", Workspace: "here", Name: "two\nlines"},
			{ID: "agent_x", Name: "X", Role: contracts.RoleBD, Runner: "gone"},
		},
		Runners: map[string]Runner{
			"Bad Name": {Kind: "openai"}, "none": {Kind: "openai"}, "odd": {Kind: "telepathy"}, "claude": {Kind: "openai"},
			"fast": {Kind: "openai", Model: "m", BaseURL: "https://user:pw@host/v1", APIKeyEnv: "sk-abc", APIKeyFile: "key", Format: "xml", MaxTokens: -1, Temperature: &negative,
				Stall: time.Hour, Retries: &many, Prices: map[string]Price{"m": {In: 1, Cache: &bad}}, Command: "claude"},
			"gw":   {Kind: "openclaw", URL: "ftp://x", Model: "m"},
			"peer": {Kind: "peer", Args: []string{"-v"}, Workspace: "there", Env: []string{"OPENAI_*", "ghp_abc=1", "BULLPEN_TOKEN", "*"}},
		},
		Budgets: Budgets{Task: Budget{USD: -1}, Day: Budget{Tokens: -1}},
		Bridge:  Bridge{Roots: []string{"rel"}, Heartbeat: time.Minute, Idle: -1, Spawn: []string{" "}},
	}
	var got []string
	for _, p := range s.Validate(input) {
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
		"runners.gw.model", "runners.gw.url", "runners.none", "runners.odd.kind", "runners.peer.command", "runners.peer.env",
		"runners.peer.workspace", "runners.peer.env.1", "runners.peer.env.2", "runners.peer.env.3",
		"budgets.task.usd", "budgets.day.tokens", "bridge.roots.0", "bridge.heartbeat", "bridge.idle", "bridge.spawn",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Spawned returns the configured runner for agents that are neither in the crew nor connected, and
// Check rejects runners that the office cannot start a process for.
func TestSpawnedRunner(t *testing.T) {
	runners := map[string]Runner{"fast": {Kind: "openai", Model: "m"}, "dials": {Kind: "peer"}, "helper": {Kind: "peer", Command: "helper"}}
	for want, b := range map[string]Bridge{
		"":                         {Runner: "claude"},
		"bridge.runner: no runner": {Runner: "cloud"},
		"bridge.runner: the office cannot start a process for runner fast":  {Runner: "fast"},
		"bridge.runner: the office cannot start a process for runner dials": {Runner: "dials"},
		"bridge.runner: set bridge.runner or bridge.spawn":                  {Runner: "helper", Spawn: []string{"other"}},
		"bridge.env: applies only to bridge.spawn":                          {Runner: "helper", Env: []string{"GITHUB_TOKEN"}},
	} {
		err := Staff{Kinds: kinds, Runners: runners, Bridge: b}.Check(input)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %v", b, err)
		}
	}
	for name, want := range map[string]Runner{"": {}, "claude": {Kind: "claude"}, "helper": runners["helper"]} {
		if got, ok := (Staff{Kinds: kinds, Runners: runners, Bridge: Bridge{Runner: name}}).Spawned(); ok != (name != "") || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v %v", name, got, ok)
		}
	}
}

// A root that is too broad is reported; a directory inside it is not.
func TestBroadRoots(t *testing.T) {
	s := Staff{Bridge: Bridge{Roots: []string{"/", "/home/dev", "/home", "/home/dev/src", "/home/developer", "/srv"}}}
	var got []string
	for _, p := range s.BroadRoots("/home/dev") {
		got = append(got, p.Path)
	}
	if diff := cmp.Diff([]string{"bridge.roots.0", "bridge.roots.1", "bridge.roots.2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestModelIsRequired(t *testing.T) {
	s := Staff{Kinds: kinds, Default: "openai"}
	problems := s.Validate(input)
	if len(problems) != 1 || problems[0].Path != "runners.openai.model" || !strings.Contains(problems[0].Text, "BULLPEN_MODEL") {
		t.Errorf("problems %v", problems)
	}
	if s.Model = "m"; s.Check(input) != nil {
		t.Error("a model set by a flag is not enough")
	}
}

func TestBudgetsAndPrices(t *testing.T) {
	half := 0.5
	r := Runner{Kind: "openai", Model: "m", Prices: map[string]Price{"m": {In: 1, Out: 2, Cache: &half}}}
	if c := r.Cost(contracts.Usage{Model: "m-2026-01-01", TokensIn: 1e6, TokensOut: 1e6, CacheRead: 1e6}); c == nil || *c != 3.5 {
		t.Errorf("cost %v", c)
	}
	if c := (Runner{Model: "x"}).Cost(contracts.Usage{Model: "x", TokensIn: 1}); c != nil {
		t.Errorf("an unknown price became %v", *c)
	}
	b := Budget{USD: 1.5, Tokens: 100}
	for _, tt := range []struct {
		used contracts.UsageTotal
		want string
	}{
		{contracts.UsageTotal{TokensIn: 50, TokensOut: 49, CacheRead: 1e6, CostUSD: 1.49}, ""},
		{contracts.UsageTotal{TokensIn: 50, TokensOut: 50}, "used 100 of 100 tokens"},
		{contracts.UsageTotal{CostUSD: 1.5}, "used $1.50 of $1.5"},
	} {
		if got := b.Exceeded(tt.used); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.used, got, tt.want)
		}
	}
	s := Staff{Kinds: kinds, Default: "fast", Agents: []Agent{{ID: "agent_bd", Runner: "peer"}}, Runners: map[string]Runner{"fast": {Kind: "openai", Model: "m"}}, Budgets: Budgets{Day: Budget{USD: 1}}}
	list := s.Unenforced()
	if len(list) != 2 || list[0].Error() != "budgets.day.usd: cannot be enforced for model m: runner fast has no price for it; add runners.fast.prices, or a token budget" || !strings.Contains(list[1].Text, "peer") {
		t.Errorf("unenforced %v", list)
	}
}
