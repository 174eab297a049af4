package rehearsal

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// Crew returns the eight agents of the built-in crew, one for each seat at the meeting table.
func Crew() []contracts.AgentProfile {
	return []contracts.AgentProfile{
		person(contracts.AgentBD, "Ada", contracts.RoleBD, "poi_director_desk"),
		person("agent_research_1", "Bram", contracts.RoleResearcher, "poi_lounge"),
		person("agent_writer_1", "Cleo", contracts.RoleWriter, "poi_coffee_bar"),
		person("agent_eng_1", "Dov", contracts.RoleEngineer, "poi_beanbags"),
		person("agent_design_1", "Esi", contracts.RoleDesigner, "poi_lounge"),
		person("agent_strategy_1", "Femi", contracts.RoleStrategist, "poi_coffee_bar"),
		person("agent_eng_2", "Gwen", contracts.RoleEngineer, "poi_beanbags"),
		person("agent_review_1", "Hugo", contracts.RoleReviewer, "poi_lounge"),
	}
}

func person(id, name string, role contracts.Role, home string) contracts.AgentProfile {
	return contracts.AgentProfile{AgentID: id, Name: name, Role: role, Runner: crew.Rehearsal, Home: home}
}

// profile returns a crew member's profile or, for any other agent, a profile with the id as its
// name.
func profile(agentID string) contracts.AgentProfile {
	for _, p := range Crew() {
		if p.AgentID == agentID {
			return p
		}
	}
	return contracts.AgentProfile{AgentID: agentID, Name: agentID}
}
