package view

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// Need is something that is waiting for a person: an entry in the response to GET /v1/needs.
type Need struct {
	Ref     string         `json:"ref"` // id of the decision or artifact, or of the project (NeedPlan) or agent (NeedElsewhere)
	Kind    model.NeedKind `json:"kind"`
	Title   string         `json:"title"`
	Do      string         `json:"do"` // what a person should do
	AgentID string         `json:"agent_id,omitzero"`
	Name    string         `json:"name,omitzero"`    // the agent's name; set if the agent may have left the office
	Project string         `json:"project,omitzero"` // the project's title, if there are several projects
	Since   int64          `json:"since"`
	Until   int64          `json:"until,omitzero"`
}

// Needs lists everything that is waiting for a person, most urgent first.
func Needs(s *contracts.Snapshot) []Need {
	list := []Need{}
	rows := model.Rows{Agents: s.Agents, Projects: s.Projects, Tasks: s.Tasks, Artifacts: s.Artifacts, Decisions: s.Decisions}
	for _, n := range rows.Needs() {
		do := model.NeedWords(n.Kind)
		if n.Kind == model.NeedElsewhere {
			do = model.AnswerPlaceWords(rows.Agent(n.Ref))
		}
		list = append(list, Need{
			Ref: n.Ref, Kind: n.Kind, Title: n.Title, Do: do, AgentID: n.AgentID, Name: n.Name, Project: rows.NeedProject(n), Since: n.Since, Until: n.Until,
		})
	}
	return list
}
