package contracts

import (
	"slices"
	"testing"
)

func TestSourceRow(t *testing.T) {
	rows := compile(t, compiler(t), "entities.schema.json#/$defs/source")
	for row, ok := range map[string]bool{
		`{"source":"toy","label":"Toy Agent","color":"#336699"}`:                                              true,
		`{"source":"toy","label":"Toy Agent","color":"#336699","scripted":true,"controls":["stop_agent"]}`:    true,
		`{"source":"toy","label":"Toy Agent","color":"#336699","a_later_member":1}`:                           true,
		`{"label":"Toy Agent","color":"#336699"}`:                                                             false,
		`{"source":"","label":"Toy Agent","color":"#336699"}`:                                                 false,
		`{"source":"toy","label":"","color":"#336699"}`:                                                       false,
		`{"source":"toy","label":"Toy Agent"}`:                                                                false,
		`{"source":"toy","label":"Toy Agent","color":"red"}`:                                                  false,
		`{"source":"toy","label":"Toy Agent","color":"#336699;background:url(http://tracker.example/x.png)"}`: false,
		`{"source":"toy","label":"Toy Agent","color":"#336699","scripted":"yes"}`:                             false,
		`{"source":"toy","label":"Toy Agent","color":"#336699","controls":"stop_agent"}`:                      false,
	} {
		tree, r := readTree([]byte(row))
		if r != nil {
			t.Fatal(r)
		}
		if err := rows.Validate(tree); (err == nil) != ok {
			t.Errorf("%s: valid is %v, want %v (%v)", row, err == nil, ok, err)
		}
	}
}

func TestSourcesDecideWhatAgentsObey(t *testing.T) {
	sources := Sources{{Source: "toy", Label: "Toy Agent", Controls: []CommandName{CmdStopAgent}}}
	for _, c := range []struct {
		profile AgentProfile
		obeyed  []CommandName
	}{
		{AgentProfile{Source: "toy"}, []CommandName{CmdStopAgent}},
		{AgentProfile{Source: "toy", Controls: []CommandName{CmdChat}}, []CommandName{CmdChat}},
		{AgentProfile{Source: "toy", Controls: []CommandName{}}, nil},
		{AgentProfile{Source: "unknown"}, nil},
		{AgentProfile{Runner: "toy"}, crewControls},
	} {
		if got := sources.Obeyed(&c.profile); !slices.Equal(got, c.obeyed) {
			t.Errorf("%+v obeys %v, want %v", c.profile, got, c.obeyed)
		}
	}
}

func TestSameProfiles(t *testing.T) {
	sources := Sources{{Source: "toy", Controls: []CommandName{CmdStopAgent}}}
	plain := AgentProfile{AgentID: "agent_ada", Name: "ada", Source: "toy"}
	set, mute, moved := plain, plain, plain
	set.Controls, mute.Controls, moved.Place = []CommandName{CmdStopAgent}, []CommandName{}, "~/shop"
	if !sources.Same(plain, set) || !plain.Equal(plain) {
		t.Error("controls that equal the source's default count as a difference")
	}
	if sources.Same(plain, mute) || sources.Same(plain, moved) || plain.Equal(mute) || plain.Equal(set) {
		t.Error("a difference was not detected")
	}
}
