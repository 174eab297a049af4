package translate

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Finding is one piece of information in a frame, such as a profile, a fact or evidence. An agent's
// profile comes before other findings about the agent.
type Finding struct {
	AgentID  string // the agent that the finding is about
	Profile  *contracts.AgentProfile
	Fact     contracts.Fact // activity or usage
	Whole    []byte         // the full result, which the fact refers to by hash; store it before the fact
	Evidence *status.Evidence
	Approval *Approval
	Settled  *Settled
	Reread   string // key of a session whose history must be read, because something was missed
}

// Approval is a tool call that needs a person's approval.
type Approval struct {
	ID        string
	Kind      string // exec or plugin
	Prompt    string
	Options   []string // Option constants of package contracts
	ExpiresAt int64
	Allows    contracts.Permission // the permission with its full arguments, before hud.PrepareAsk shortens them
}

// Settled is an approval that is no longer pending.
type Settled struct {
	ID       string
	Decision string // the gateway's name for the decision; empty if unknown
}

// Decisions maps the options of a permission to the gateway's names for them.
var Decisions = map[string]string{
	contracts.OptionAllow:  "allow-once",
	contracts.OptionAlways: "allow-always",
	contracts.OptionDeny:   "deny",
}

func (r *Reader) addProfile(p contracts.AgentProfile) {
	r.found = append(r.found, Finding{AgentID: p.AgentID, Profile: &p})
}

func (r *Reader) addHUD(h contracts.HUD, whole []byte) {
	r.found = append(r.found, Finding{AgentID: h.AgentID, Fact: contracts.HUDSeen{HUD: h, Once: true, Watch: Source}, Whole: whole})
}

func (r *Reader) addEvidence(agentID string, claim status.Claim, call, says, line string) {
	r.found = append(r.found, Finding{AgentID: agentID, Evidence: &status.Evidence{Source: contracts.FromGateway, Claim: claim, Call: call, Says: says, Line: line, At: r.now}})
}

func (r *Reader) reread(key string) {
	for _, f := range r.found {
		if f.Reread == key {
			return
		}
	}
	r.found = append(r.found, Finding{Reread: key})
}
