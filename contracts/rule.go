package contracts

// Effect is the action that a rule takes on a tool call that it matches.
type Effect string

// Effects, from the least to the most restrictive.
const (
	EffectAllow Effect = "allow"
	EffectAsk   Effect = "ask"
	EffectDeny  Effect = "deny"
)

// Rule is a rule of the permission policy. A call must match every selector that is set; a selector
// matches if one of its patterns does. Package policy defines how patterns match.
type Rule struct {
	RuleID  string   `json:"rule_id"`
	Effect  Effect   `json:"effect"`
	Reason  string   `json:"reason,omitzero"`
	Tool    []string `json:"tool,omitzero"`    // canonical tool names: exec, read, write, edit, web_fetch …
	Command []string `json:"command,omitzero"` // commands of a shell line
	Path    []string `json:"path,omitzero"`    // absolute paths
	Host    []string `json:"host,omitzero"`    // host names of URLs
	Agent   []string `json:"agent,omitzero"`   // agent ids
	Repo    []string `json:"repo,omitzero"`    // repositories, as in an agent's profile
}

// AddedRule is a rule that a person added by answering a permission request with OptionAlways.
type AddedRule struct {
	Rule       Rule   `json:"rule"`
	DecisionID string `json:"decision_id"` // the permission request
	By         string `json:"by"`          // the principal that answered the request
	At         int64  `json:"at"`
}

// RepoRules are the rules of the repository that a call would run in. If Problem is set, the rules
// could not be read, and no rule allows calls in that repository.
type RepoRules struct {
	Rules   []Rule `json:"rules,omitzero"`
	Problem string `json:"problem,omitzero"`
}

// ByPolicy is the principal for answers given by a rule.
const ByPolicy = "policy"
