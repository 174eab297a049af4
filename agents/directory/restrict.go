package directory

import (
	"os"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/policy"
)

// restricted reports whether a rule denies an agent's tool call or requires permission for it. The
// rules are the operator's, the built-in ones, and those of the repository that the call would run in.
// Drivers use this check for calls that usually need no permission; the director still decides each
// request.
func (d *Directory) restricted(agentID string, p contracts.Permission) bool {
	rules := d.rules
	if repo := d.repos.Rules(p.Place); repo != nil {
		if repo.Problem != "" {
			return true
		}
		rules = rules.WithRepository(repo.Rules)
	}
	call := hud.Canonical(hud.Call{Tool: p.Tool, Args: p.Args})
	home, _ := os.UserHomeDir() // if the home directory is unknown, rules restrict more
	profile, _ := d.cfg.Agent(agentID)
	outcome := rules.Evaluate(policy.Request{Tool: call.Tool, Args: call.Args, AgentID: agentID, Repo: profile.Repo, Dir: p.Place, Home: home})
	return outcome.Effect != contracts.EffectAllow && len(outcome.Rules) > 0
}
