package contracts

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wireFact is the encoding of a fact for another node.
type wireFact struct {
	Fact string         `json:"fact"`
	ID   string         `json:"id,omitzero"` // id of an activity fact; its data does not contain the id
	Data jsontext.Value `json:"data"`
}

// EncodeFact encodes a fact for another node.
func EncodeFact(f Fact) ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", f.FactName(), err)
	}
	w := wireFact{Fact: f.FactName(), Data: data}
	if seen, ok := f.(HUDSeen); ok {
		w.ID = seen.HUD.UUID
	}
	return json.Marshal(w)
}

// DecodeFact decodes the result of EncodeFact. An unknown fact or member is an error: it means that
// the other node runs a different version.
func DecodeFact(b []byte) (Fact, error) {
	var w wireFact
	if err := json.Unmarshal(b, &w, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("decode fact: %w", err)
	}
	decode, ok := factDecoders[w.Fact]
	if !ok {
		return nil, fmt.Errorf("unknown fact %q", clip(w.Fact))
	}
	f, err := decode(w.Data)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", w.Fact, err)
	}
	if seen, ok := f.(HUDSeen); ok {
		seen.HUD.UUID = w.ID
		f = seen
	}
	return f, nil
}

var factDecoders = map[string]func(jsontext.Value) (Fact, error){
	PlanReady{}.FactName():    decodeFact[PlanReady],
	RunBegan{}.FactName():     decodeFact[RunBegan],
	RunProgress{}.FactName():  decodeFact[RunProgress],
	RunAsked{}.FactName():     decodeFact[RunAsked],
	RunDelivered{}.FactName(): decodeFact[RunDelivered],
	RunBroke{}.FactName():     decodeFact[RunBroke],
	ChatSaid{}.FactName():     decodeFact[ChatSaid],
	HUDSeen{}.FactName():      decodeFact[HUDSeen],
	AgentSeen{}.FactName():    decodeFact[AgentSeen],
	AgentGone{}.FactName():    decodeFact[AgentGone],
	StatusSeen{}.FactName():   decodeFact[StatusSeen],
	AskSeen{}.FactName():      decodeFact[AskSeen],
	AskWithdrawn{}.FactName(): decodeFact[AskWithdrawn],
	UISeen{}.FactName():       decodeFact[UISeen],
	UsageSeen{}.FactName():    decodeFact[UsageSeen],
	Audited{}.FactName():      decodeFact[Audited],
	NodeUp{}.FactName():       decodeFact[NodeUp],
	NodeDown{}.FactName():     decodeFact[NodeDown],

	RepoSeen{}.FactName():      decodeFact[RepoSeen],
	TaskPrepared{}.FactName():  decodeFact[TaskPrepared],
	CheckRan{}.FactName():      decodeFact[CheckRan],
	TreeSeen{}.FactName():      decodeFact[TreeSeen],
	Landed{}.FactName():        decodeFact[Landed],
	PullOpened{}.FactName():    decodeFact[PullOpened],
	PullFailed{}.FactName():    decodeFact[PullFailed],
	LandingFailed{}.FactName(): decodeFact[LandingFailed],
	CollisionSeen{}.FactName(): decodeFact[CollisionSeen],
	ReviewReady{}.FactName():   decodeFact[ReviewReady],
	ReviewBroke{}.FactName():   decodeFact[ReviewBroke],
}

func decodeFact[F Fact](data jsontext.Value) (Fact, error) {
	var f F
	err := json.Unmarshal(data, &f, json.RejectUnknownMembers(true))
	return f, err
}
