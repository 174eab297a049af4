package model

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestSourcesOfTheSnapshot checks that an unknown vendor is shown with the label that the office
// sends, or by its name if the office sends none.
func TestSourcesOfTheSnapshot(t *testing.T) {
	var rows Rows
	rows.foldSnapshot(&contracts.Snapshot{
		Agents: []contracts.Agent{
			{AgentProfile: contracts.AgentProfile{AgentID: "agent_ada", Source: "toy", Place: "~/shop", Session: "toy:4f0c1a2b-11aa-4bcd-8ef0-0123456789ab:sub"}},
			{AgentProfile: contracts.AgentProfile{AgentID: "agent_bob", Source: "from_a_later_version", ParentID: "agent_ada"}},
			{AgentProfile: contracts.AgentProfile{AgentID: "agent_bd", Runner: "toy_script"}},
		},
		Sources: contracts.Sources{{Source: "toy", Label: "Toy\x1b[2J Agent", Color: "#336699"}, {Source: "toy_script", Label: "Toy Script", Color: "#123456", Scripted: true}},
	})
	if got := rows.OriginWords(rows.Agent("agent_ada")); got != Line("Toy\x1b[2J Agent")+" · ~/shop" {
		t.Errorf("described: %q", got)
	}
	if got := rows.OriginWords(rows.Agent("agent_bob")); got != "Sub-agent, From a later version" {
		t.Errorf("source without a label: %q", got)
	}
	if got := AnswerPlaceWords(rows.Agent("agent_ada")); got != "Answer in its terminal in ~/shop (session 4f0c1a2b)" {
		t.Errorf("session: %q", got)
	}
	if rows.RunnerWords("toy_script") != "Toy Script" || rows.RunnerWords("toy") != "toy" || !rows.Rehearsing() {
		t.Errorf("runners: %q, %q, rehearsing %v", rows.RunnerWords("toy_script"), rows.RunnerWords("toy"), rows.Rehearsing())
	}
	rows.foldSnapshot(&contracts.Snapshot{Mode: "delta", Agents: []contracts.Agent{{AgentProfile: contracts.AgentProfile{AgentID: "agent_eve", Runner: "toy"}}}})
	if rows.Rehearsing() || len(rows.Sources) != 2 {
		t.Errorf("after a delta: rehearsing %v, sources %+v", rows.Rehearsing(), rows.Sources)
	}
}

// TestRehearsalOfAnOlderOffice checks that a rehearsal is shown as one even if the office sends no
// sources.
func TestRehearsalOfAnOlderOffice(t *testing.T) {
	var rows Rows
	rows.foldSnapshot(&contracts.Snapshot{Agents: []contracts.Agent{{AgentProfile: contracts.AgentProfile{AgentID: "agent_bd", Runner: contracts.RunnerRehearsal}}}})
	if !rows.Rehearsing() || rows.RunnerWords(contracts.RunnerRehearsal) != "Rehearsal" {
		t.Errorf("rehearsing %v, %q", rows.Rehearsing(), rows.RunnerWords(contracts.RunnerRehearsal))
	}
}
